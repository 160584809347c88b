"""An invented site: pages of a tea house over several days."""

import random
from datetime import datetime, timedelta, timezone

WORDS = (
    "the tea of this house is what every guest would like to drink when there is rain in the town "
    "and they have a table with water sugar kettle garden window evening story which was never told"
).split()
FIRST = datetime(2011, 10, 24, 8, tzinfo=timezone.utc)


def sentences(seed: int, count: int) -> str:
    """Sentences that no other seed has. Digits do not tell blocks apart, so it has none."""
    chosen = random.Random(seed)
    made = []
    for _ in range(count):
        words = [chosen.choice(WORDS) for _ in range(chosen.randint(9, 16))]
        made.append(" ".join(words).capitalize() + ".")
    return " ".join(made)


def html(number: int) -> str:
    """A story with a menu, an advertisement, a list, a table and comments."""
    paragraphs = "".join(f"<p>{sentences(10 * number + part, 4)}</p>" for part in range(3))
    return f"""<!DOCTYPE html><html lang="en"><head><title>{sentences(number, 1)[:40]}</title>
<meta name="author" content="Ann Leaf"><meta property="article:published_time" content="2011-10-2{number % 4}T06:00:00Z">
<link rel="canonical" href="http://www.teahouse.example/stories/{number}"></head><body>
<ul class="menu"><li><a href="/">Home</a><li><a href="/menu">What we serve</a><li><a href="/where">Where we are</a></ul>
<div class="story"><h1>{sentences(number, 1)[:40]}</h1>{paragraphs}
<ul><li>One <b>cup</b> of {WORDS[number % 16 + 16]} and {WORDS[number % 7]}<li>Two {WORDS[number % 11]}</ul>
<table><tr><th>Town<th>Guests<tr><td>{sentences(number + 500, 1)[:12]}<td>{WORDS[number % 9]}</table></div>
<div class="comments"><p>A reader says: {sentences(number + 900, 2)}</div>
<div class="footer">All rights of the tea house are reserved, and so are its cups.</div></body></html>"""


def pages(count: int) -> list[tuple[str, str, datetime]]:
    """Pages in time order, seven a day. Every ninth is a copy at another address."""
    made = []
    for number in range(count):
        fetched_at = FIRST + timedelta(days=number // 7, minutes=number % 7)
        made.append((f"http://www.teahouse.example/stories/{number}", html(number), fetched_at))
        if number % 9 == 8:
            copy = f"http://www.teahouse.example/stories/{number}?utm_source=feed"
            made.append((copy, html(number), fetched_at + timedelta(seconds=5)))
    return made
