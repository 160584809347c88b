"""A site in memory, from its first page to a job over its archive.

The pages are invented: a tea house with a menu, stories and comments.
"""

import collections

import urltree

# # The pages
#
# Pages come as (url, html, time of the fetch), in the order of time.

STORIES = {
    "kettle": "The kettle of the house is older than its owner. Nobody remembers who bought it, or when.",
    "garden": "In the garden grow mint and lemon balm. Guests may pick what they want to drink, and many do.",
    "window": "A window was broken in the storm. Until it is mended, the warm tables are those by the stove.",
    "winter": "In winter the house opens at noon. There is soup on Fridays, and bread from the mill nearby.",
}


def page(name: str) -> str:
    return f"""<html lang="en"><title>The {name} - Tea House</title>
        <ul class="menu"><li><a href="/">Home</a><li><a href="/serve">What we serve</a></ul>
        <div class="story"><h1>The {name}</h1><p>{STORIES[name]}</p><p>Posted by <b>Ann Leaf</b></p></div>
        <div class="comments"><p>A reader says: I like the {name}.</p></div></html>"""


PAGES = [
    (f"http://www.teahouse.example/{name}", page(name), f"2011-10-{day}T08:00:00Z")
    for day, name in enumerate(STORIES, start=24)
]

# # A site that learns
#
# The first page of a site is labelled like that of any unknown site. With every page the site knows
# more of its template.

site = urltree.Site()
for found in site.extract_all(PAGES):
    print(found.fetched_at, found.title, f"({found.support} pages)")
    print("   ", found.text.replace("\n", "\n    "))

# # Why
#
# Each block has its label, the reason, and on how many pages it is.

last = site.extract(*PAGES[-1])
for block in last.blocks:
    print(f"{block.label:12}{block.reason:16}{block.count} of {block.support}  {block.text[:40]}")

reasons = collections.Counter(block.reason for block in last.blocks)
assert reasons["comments"] == 1 and reasons["unique"] >= 1, reasons

# # More than text

print(last.markdown)
said = last.metadata
assert said is not None
print(last.url_key, said.html_lang, last.charset)
