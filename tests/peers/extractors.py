"""Runs one extractor of a Python package over the pages on standard input.

`python extractors.py NAME` is a worker as README.md defines it: it answers each line
before it reads the next one. `adapter.py` does the rest.
"""

from __future__ import annotations

import json
import logging
import os
import platform
import sys
import time
import warnings
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    # Maps the HTML and the URL of a page to the fields of an answer: `title`, if the
    # extractor returns one, and the content as `text` or as `html`.
    Extract = Callable[[str, str], dict[str, str | None]]


class Extractor(NamedTuple):
    """An extractor: its package, and a function that imports and configures it."""

    package: str
    load: Callable[[], Extract]


# An extractor is imported only if it is requested, so a missing package does not affect
# others. Comments of readers are switched off if there is an option.


def trafilatura(**options: bool) -> Extract:
    from trafilatura import extract

    return lambda html, url: {
        "text": extract(html, url=url, include_comments=False, **options)
    }


def resiliparse() -> Extract:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html, _: {
        "text": extract_plain_text(html, main_content=True, comments=False)
    }


def justext() -> Extract:
    from justext import justext as classify

    # The mode for pages of unknown language: stop words are not required.
    unknown = {"stoplist": frozenset(), "stopwords_low": 0, "stopwords_high": 0}

    def extract(html: str, _: str) -> dict[str, str | None]:
        paragraphs = classify(html, **unknown)
        return {"text": "\n".join(p.text for p in paragraphs if not p.is_boilerplate)}

    return extract


def readability_lxml() -> Extract:
    from readability import Document

    def extract(html: str, url: str) -> dict[str, str | None]:
        document = Document(html, url=url)
        return {"title": document.short_title(), "html": document.summary()}

    return extract


def boilerpy3(name: str) -> Extract:
    from boilerpy3 import extractors

    extractor = getattr(extractors, name)()

    def extract(html: str, _: str) -> dict[str, str | None]:
        # The parser of the original Boilerpipe adds the optional tags of HTML. This one
        # does not, and finds nothing outside of a body.
        if "<body" not in html.lower():
            html = f"<body>{html}</body>"
        if "<html" not in html.lower():
            html = f"<html>{html}</html>"
        document = extractor.get_doc(html)
        return {"title": document.title, "text": document.content}

    return extract


def goose3() -> Extract:
    from goose3 import Goose

    def extract(html: str, _: str) -> dict[str, str | None]:
        article = Goose().extract(raw_html=html)
        return {"title": article.title, "text": article.cleaned_text}

    return extract


def newspaper4k() -> Extract:
    from newspaper import Article

    def extract(html: str, url: str) -> dict[str, str | None]:
        # Only images would be fetched.
        article = Article(url, fetch_images=False)
        article.download(input_html=html).parse()
        return {"title": article.title, "text": article.text}

    return extract


def magic_html() -> Extract:
    from magic_html import GeneralExtractor

    extractor = GeneralExtractor()

    def extract(html: str, url: str) -> dict[str, str | None]:
        article = extractor.extract(html, base_url=url)
        return {"title": article["title"], "html": article["html"]}

    return extract


def chromerag() -> Extract:
    from chromerag import ChromeRAG, PipelineConfig

    # Without the YAML header, which repeats fields of schema.org that the page may not show.
    extractor = ChromeRAG(config=PipelineConfig(enable_schema=False))

    # Markdown without addresses has the words of the text. Its signs are no words.
    return lambda html, url: {"text": extractor.extract(html, url=url).markdown}


def boilerpipe(name: str) -> Extractor:
    return Extractor("boilerpy3", partial(boilerpy3, name))


EXTRACTORS: dict[str, Extractor] = {
    "trafilatura": Extractor("trafilatura", trafilatura),
    "trafilatura-fast": Extractor("trafilatura", partial(trafilatura, fast=True)),
    "trafilatura-precision": Extractor(
        "trafilatura", partial(trafilatura, favor_precision=True)
    ),
    "resiliparse": Extractor("resiliparse", resiliparse),
    "justext": Extractor("justext", justext),
    "readability-lxml": Extractor("readability-lxml", readability_lxml),
    "boilerpipe-default": boilerpipe("DefaultExtractor"),
    "boilerpipe-article": boilerpipe("ArticleExtractor"),
    "boilerpipe-article-sentences": boilerpipe("ArticleSentencesExtractor"),
    "boilerpipe-largest-content": boilerpipe("LargestContentExtractor"),
    "boilerpipe-canola": boilerpipe("CanolaExtractor"),
    "boilerpipe-num-words": boilerpipe("NumWordsRulesExtractor"),
    "boilerpipe-keep-everything": boilerpipe("KeepEverythingExtractor"),
    "goose3": Extractor("goose3", goose3),
    "newspaper4k": Extractor("newspaper4k", newspaper4k),
    "magic-html": Extractor("magic-html", magic_html),
    "chromerag": Extractor("chromerag", chromerag),
}


def answers(name: str, lines: Iterator[str]) -> Iterator[dict[str, object]]:
    """Yields the header, then one answer per line."""
    extractor = EXTRACTORS[name]
    extract = extractor.load()
    yield {
        "extractor": name,
        "version": version(extractor.package),
        "runtime": f"Python {platform.python_version()}",
    }
    for line in lines:
        page = json.loads(line)
        start = time.process_time()
        try:
            outcome = extract(page["html"], page["url"])
        except Exception as error:  # noqa: BLE001 - any exception is an error of the page
            outcome = {"error": f"{type(error).__name__}: {error}"}
        cpu_seconds = time.process_time() - start
        yield {"page": page["page"], **outcome, "cpu_seconds": cpu_seconds}


def main() -> None:
    if sys.argv[1:] not in [[name] for name in EXTRACTORS]:
        sys.exit(f"usage: extractors.py {'|'.join(EXTRACTORS)}")
    # Redirect the output of packages to standard error, away from the answers.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    logging.disable()
    warnings.simplefilter("ignore")
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    for answer in answers(sys.argv[1], iter(sys.stdin)):
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main()
