"""Pages of invented sites whose articles have headings, lists, tables, code, quotes, captions, details and formulas.

`pages()` yields them in the order of their time. All are drawn from one seed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

NOUNS = (
    "kettle harbour ledger valve orchard tramway beacon quarry archive lantern ferry loom "
    "cistern gable hinge meadow pulley rudder signal thatch"
).split()
VERBS = "opens closes measures repairs carries warms empties paints lowers checks records turns".split()
WHEN = "before noon,after the storm,in the second week,without a permit,on request,every morning".split(",")
PER_SITE = 24


class Page(NamedTuple):
    """A page, and its article as HTML of its own, in which formulas are TeX between dollar signs."""

    url: str
    time: str
    html: str
    article: str


class Writer:
    """Draws the parts of an article."""

    def __init__(self, seed: str) -> None:
        self.dice = random.Random(seed)

    def words(self) -> str:
        dice = self.dice
        noun, other = dice.sample(NOUNS, 2)
        return f"the {noun} {dice.choice(VERBS)} the {other} {dice.randint(2, 900)} {dice.choice(WHEN)}"

    def sentence(self) -> str:
        said = self.words()
        marked = self.dice.choice(["{}", "{}", "<em>{}</em>", "<strong>{}</strong>", "<code>{}</code>"])
        first, second, rest = said.split(" ", 2)
        return f"{first.capitalize()} {marked.format(escape(second))} {escape(rest)}."

    def paragraph(self) -> str:
        sentences = [self.sentence() for _ in range(self.dice.randint(2, 5))]
        return f"<p>{' '.join(sentences)}</p>"

    def items(self, depth: int) -> str:
        kind = self.dice.choice(["ul", "ol"])
        rows = []
        for _ in range(self.dice.randint(2, 4)):
            below = self.items(depth - 1) if depth and self.dice.random() < 0.4 else ""
            rows.append(f"<li>{escape(self.words())}{below}</li>")
        return f"<{kind}>{''.join(rows)}</{kind}>"

    def caption(self) -> str:
        first, rest = self.words().split(" ", 1)
        return f"{first.capitalize()} {escape(rest)}, as it was drawn."

    def table(self) -> str:
        columns = self.dice.randint(2, 4)
        head = "".join(f"<th>{noun.capitalize()}</th>" for noun in self.dice.sample(NOUNS, columns))
        # A word and a number. Many words recur on a site, so the numbers tell its cells apart.
        cell = lambda: " ".join(self.words().split(" ")[4:6])  # noqa: E731
        row = lambda: "".join(f"<td>{cell()}</td>" for _ in range(columns))  # noqa: E731
        rows = "".join(f"<tr>{row()}</tr>" for _ in range(self.dice.randint(2, 6)))
        caption = f"<caption>{self.caption()}</caption>" if self.dice.random() < 0.4 else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def figure(self) -> str:
        name = self.dice.choice(NOUNS)
        return f'<figure><img src="/{name}.jpg" alt=""><figcaption>{self.caption()}</figcaption></figure>'

    def details(self) -> str:
        return f"<details><summary>{escape(self.words().capitalize())}?</summary>{self.paragraph()}</details>"

    def formula(self) -> str:
        """A sentence with a formula, as Wikipedia and KaTeX write them."""
        name, number = self.dice.choice("abcxyz"), self.dice.randint(2, 99)
        tex = f"{name}={number}"
        math = (
            f"<math><semantics><mrow><mi>{name}</mi><mo>=</mo><mn>{number}</mn></mrow>"
            f'<annotation encoding="application/x-tex">{tex}</annotation></semantics></math>'
        )
        shown = f'<span class="katex-html" aria-hidden="true"><span>{name}</span><span>=</span><span>{number}</span></span>'
        katex = f'<span class="katex"><span class="katex-mathml">{math}</span>{shown}</span>'
        return f"<p>{self.sentence()} It holds that {self.dice.choice([math, katex])} {self.dice.choice(WHEN)}.</p>"

    def code(self) -> str:
        language = self.dice.choice(["python", "rust", "sh"])
        noun = self.dice.choice(NOUNS)
        lines = [f"{noun}_{self.dice.randint(1, 99)} = {self.dice.randint(1, 999)}"]
        comment = f"# The {noun} of {self.dice.randint(1, 99)} parts"
        if self.dice.random() < 0.5:
            lines.append(comment)
        lines += [f"    if {noun} < {self.dice.randint(1, 99)} and *ptr:" for _ in range(self.dice.randint(1, 4))]
        body = escape("\n".join(lines))
        if self.dice.random() < 0.5:
            # As highlighters write it.
            body = body.replace(comment, f'<span class="hljs-comment">{comment}</span>')
            body = re.sub(r"^(\w+) =", r'<span class="hljs-variable">\1</span> =', body)
        return f'<pre><code class="language-{language}">{body}</code></pre>'

    def quote(self) -> str:
        return f"<blockquote><p>{self.sentence()} {self.sentence()}</p></blockquote>"

    def article(self, title: str) -> str:
        parts = [f"<h1>{escape(title)}</h1>", self.paragraph()]
        for _ in range(self.dice.randint(2, 4)):
            heading = escape(self.words().capitalize())
            is_link = self.dice.random() < 0.3
            parts.append(f'<h2><a href="/{self.dice.choice(NOUNS)}">{heading}</a></h2>' if is_link else f"<h2>{heading}</h2>")
            parts.append(self.paragraph())
            for _ in range(self.dice.randint(1, 3)):
                kinds = [lambda: self.items(2), self.table, self.code, self.quote, self.paragraph]
                kinds += [self.figure, self.details, self.formula]
                parts.append(self.dice.choice(kinds)())
            if self.dice.random() < 0.5:
                parts += [f"<h3>{escape(self.words().capitalize())}</h3>", self.paragraph()]
        return "\n".join(parts)


def manual(title: str, article: str, others: str, number: int) -> str:
    return (
        f"<!DOCTYPE html><html lang=en><title>{title} - Manual</title><body><header><a href=/>Manual</a>"
        f"<form><input name=q></form></header><div class=layout><nav class=tree><ul>{others}</ul></nav>"
        f"<main class=body>{article}<p class=edit><a href=/edit/{number}>Edit this page</a></p></main></div>"
        "<footer><ul><li><a href=/imprint>Imprint</a></li><li>Version 4.2</li></ul></footer>"
    )


def blog(title: str, article: str, others: str, number: int) -> str:
    return (
        f"<!DOCTYPE html><html lang=en><title>{title} | Workshop notes</title><body><div id=top><h2>Workshop "
        f"notes</h2><ul class=menu><li><a href=/>Home</a></li><li><a href=/about>About</a></li></ul></div>"
        f"<article class=post>{article}</article><div class=share><a href=#>Share</a> <a href=#>Print</a></div>"
        f"<aside><h3>Recent posts</h3><ul>{others}</ul><table><tr><td>Posts</td><td>{number * 3}</td></tr>"
        "</table></aside><footer><p>All rights reserved by the workshop.</p></footer>"
    )


def wiki(title: str, article: str, others: str, number: int) -> str:
    return (
        f"<html><head><title>{title} - Wiki</title></head><body><div id=content class=mw-body>"
        f"<div class=tabs><ul><li><a href=#>Page</a></li><li><a href=#>History</a></li></ul></div>"
        f"<div class=mw-content>{article}</div><div class=cats>Categories: <a href=/c>Things</a></div></div>"
        f"<div id=panel><h3>Navigation</h3><ul>{others}</ul></div>"
        f"<div id=foot>This page was read {number * 17} times.</div></body></html>"
    )


def table_layout(title: str, article: str, others: str, number: int) -> str:
    return (
        f"<html><head><title>{title}</title></head><body><table width=100%><tr><td class=left><b>Sections</b>"
        f"<ul>{others}</ul></td><td class=main>{article}<p><a href=/print/{number}>Printable version</a></p></td>"
        "</tr><tr><td colspan=2>Contact the webmaster. Best viewed with any browser.</td></tr></table></body></html>"
    )


SITES = {"manual": manual, "blog": blog, "wiki": wiki, "tables": table_layout}


def with_tex(article: str) -> str:
    """Returns an article with its formulas as TeX."""
    shown = re.sub(r'<span class="katex-html".*?</span></span>', "", article)
    return re.sub(r"<math>.*?<annotation[^>]*>(.*?)</annotation></semantics></math>", r"$\1$", shown)


def pages() -> Iterator[Page]:
    """Yields the pages of all sites."""
    for number in range(PER_SITE):
        for site, frame in SITES.items():
            writer = Writer(f"{site} {number}")
            title = writer.words().capitalize()
            article = writer.article(title)
            others = random.Random(f"{site} menu {number // 8}")
            menu = "".join(f"<li><a href=/{site}/{n}>{n.capitalize()}</a></li>" for n in others.sample(NOUNS, 9))
            yield Page(
                f"http://www.{site}.example/pages/{number}",
                f"2011-10-{1 + number // 4:02}T12:{number:02}:00Z",
                frame(escape(title), article, menu, number),
                with_tex(article),
            )
