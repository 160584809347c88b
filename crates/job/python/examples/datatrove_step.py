"""Steps for pipelines of datatrove: HTML becomes clean text."""

import urltree
from datatrove.data import DocumentsPipeline
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.extractors.base import BaseExtractor


class UrlTree(BaseExtractor):
    """Each page alone, in place of `Trafilatura`. Other arguments are those of `urltree.extract`."""

    name = "🌳 urltree"
    _requires_dependencies = [("urltree", "urltree-text")]

    def __init__(self, timeout: float = 1, **arguments):
        super().__init__(timeout)
        self.arguments = arguments

    def extract(self, text: str) -> str:
        return urltree.extract(text, **self.arguments) or ""


class UrlTreeSites(PipelineStep):
    """Each page as a page of its site, in the order of the input: sort it by time. Drops duplicates."""

    name = "🌳 urltree, by site"
    _requires_dependencies = [("urltree", "urltree-text")]

    def __init__(self):
        super().__init__()
        self.sites: dict[str, urltree.Site] = {}

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        for document in data:
            url, date = document.metadata["url"], document.metadata.get("date")
            host = url.split("/")[2]
            site = self.sites.setdefault(host, urltree.Site(settings={"domain.grouping": "host"}))
            page = site.extract(url, document.text, date)
            if page.text and not page.is_duplicate:
                document.text = page.text
                document.metadata |= {"title": page.title, "support": page.support}
                yield document
