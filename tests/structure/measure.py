"""Measures how much of the structure of articles extractors keep: headings, lists, tables, code, quotes.

    make peers && target/peers/python/bin/pip install -r tests/structure/requirements.txt
    target/peers/python/bin/python tests/structure/measure.py target/debug/urltree

Markdown is rendered with markdown-it-py, and the elements of the result are compared with those of
the article itself, in which formulas are TeX. An element is right if its text is, and its place: the kind and depth of a list's
item, row and column of a cell. F1 is over all elements of a kind; the language of code is one of them.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

from lxml import html as parser
from markdown_it import MarkdownIt
from pages import Page, pages

KINDS = ("heading", "paragraph", "item", "cell", "code", "language", "quote", "formula")
MARKDOWN = MarkdownIt("commonmark").enable("table")


def elements(html: str) -> Counter[tuple[object, ...]]:
    """Returns the elements of HTML: their kind, place and text."""
    found: Counter[tuple[object, ...]] = Counter()
    if not html.strip():
        return found
    root = parser.fragment_fromstring(html, create_parent="div")
    for node in root.iter():
        if not isinstance(node.tag, str):
            continue
        above = [ancestor.tag for ancestor in node.iterancestors()]
        if node.tag in {"h1", "h2", "h3", "h4", "h5", "h6"}:
            found["heading", text(node)] += 1
        elif node.tag == "li":
            lists = [tag for tag in above if tag in {"ul", "ol"}]
            kind = lists[0] if lists else None
            found["item", kind, len(lists), text(node, without={"ul", "ol"})] += 1
        elif node.tag in {"td", "th"}:
            row = node.getparent()
            table = next((ancestor for ancestor in node.iterancestors() if ancestor.tag == "table"), None)
            # A cell outside of a table has no place.
            place = (None, None) if table is None else (list(table.iter("tr")).index(row), row.index(node))
            found["cell", *place, text(node)] += 1
        elif node.tag == "pre":
            inner = node.find("code")
            classes = "" if inner is None else inner.get("class", "")
            code = "".join(node.itertext()).strip()
            found["code", code] += 1
            found["language", classes.removeprefix("language-"), code] += 1
        elif node.tag == "p" and "blockquote" in above:
            found["quote", text(node)] += 1
        elif node.tag in {"p", "caption", "figcaption", "summary"} and not {"li", "td", "th"} & set(above):
            # A sentence with a formula is a kind of its own. Markdown has captions and summaries as paragraphs.
            words = text(node)
            found["formula" if "It holds that" in words else "paragraph", words] += bool(words)
    return found


def text(node: parser.HtmlElement, without: set[str] = frozenset()) -> str:
    """Returns the text of a node, without that of some elements."""
    parts = [node.text or ""]
    for child in node:
        if child.tag not in without:
            parts.append(text(child, without))
        parts.append(child.tail or "")
    return " ".join("".join(parts).split())


def of_urltree(program: str, gold: list[Page], alone: bool) -> list[str]:
    """Returns the Markdown of a job over all pages. `alone`: each page is a site of its own."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with (place / "pages.csv").open("w") as file:
            rows = csv.writer(file)
            rows.writerow(["url", "time", "path"])
            for number, page in enumerate(gold):
                (place / f"{number}.html").write_text(page.html)
                url = page.url.replace("www.", f"www.n{number}-") if alone else page.url
                rows.writerow([url, page.time, f"{number}.html"])
        run = lambda *words: subprocess.run(  # noqa: E731
            [program, *words], check=True, capture_output=True, text=True
        ).stdout
        run("import", "pages", folder, "--manifest", f"{folder}/pages.csv", "--output", f"{folder}/archive")
        job = ["--job", "jobs/backfill.toml", "--set", f"output.location={folder}/tables"]
        run(
            "backfill", *job, "--dates", "2011-10-01..2011-10-06", "--set", f"archive.location={folder}/archive",
            "--set", "output.write=markdown",
        )  # fmt: skip
        lines = run("sql", *job, "--format", "json", "SELECT url, markdown FROM documents")
        markdown = {}
        for line in lines.splitlines():
            row = json.loads(line)
            markdown[row["url"]] = row.get("markdown", "")
        urls = [page.url.replace("www.", f"www.n{n}-") if alone else page.url for n, page in enumerate(gold)]
        return [MARKDOWN.render(markdown[url]) for url in urls]


def of_trafilatura(page: Page) -> str:
    from trafilatura import extract

    found = extract(page.html, url=page.url, output_format="markdown", include_comments=False, include_formatting=True)
    return MARKDOWN.render(found or "")


def of_magic_html(page: Page) -> str:
    from magic_html import GeneralExtractor

    return GeneralExtractor().extract(page.html, base_url=page.url)["html"]


def of_resiliparse(page: Page) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    found = extract_plain_text(page.html, main_content=True, preserve_formatting="minimal_html")
    return found


def of_chromerag(page: Page) -> str:
    from chromerag import ChromeRAG, PipelineConfig

    extractor = ChromeRAG(config=PipelineConfig(enable_schema=False))
    return MARKDOWN.render(extractor.extract(page.html, url=page.url).markdown)


def scores(gold: list[Page], found: list[str]) -> dict[str, float]:
    """Returns F1 by kind of element."""
    sizes: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for page, html in zip(gold, found, strict=True):
        expected, got = elements(page.article), elements(html)
        for counts, column in ((expected, 0), (got, 1), (expected & got, 2)):
            for element, count in counts.items():
                sizes[str(element[0])][column] += count
    return {kind: 2 * both / (one + other) for kind, (one, other, both) in sizes.items() if one}


def is_there(extract: Callable[[Page], str]) -> bool:
    """Says whether an extractor is installed; magic-html needs Python 3.12."""
    try:
        extract(Page("http://a.example/", "2011-10-01", "<p>Trees fell.</p>", "<p>Trees fell.</p>"))
    except ImportError as missing:
        print(f"left out: {missing}", file=sys.stderr)
        return False
    return True


def main() -> None:
    program = str(Path(sys.argv[1]).resolve())
    gold = list(pages())
    each: dict[str, Callable[[Page], str]] = {
        "trafilatura": of_trafilatura,
        "magic-html": of_magic_html,
        "Resiliparse": of_resiliparse,
        "ChromeRAG": of_chromerag,
    }
    rows = {
        "`urltree`, sites with history": scores(gold, of_urltree(program, gold, alone=False)),
        "`urltree`, each page alone": scores(gold, of_urltree(program, gold, alone=True)),
        **{name: scores(gold, [extract(page) for page in gold]) for name, extract in each.items() if is_there(extract)},
    }
    print(f"| {len(gold)} pages | {' | '.join(KINDS)} | mean |")
    print(f"|---|{'--:|' * (len(KINDS) + 1)}")
    for name, of_kind in rows.items():
        figures = [of_kind.get(kind, 0.0) for kind in KINDS]
        cells = " | ".join(f"{figure:.3f}".lstrip("0") for figure in [*figures, sum(figures) / len(figures)])
        print(f"| {name} | {cells} |")


if __name__ == "__main__":
    main()
