"""The extractor step of datatrove."""

import unittest

from datatrove.data import Document
from datatrove_step import UrlTree, UrlTreeSites

from pages import pages, sentences


class Step(unittest.TestCase):
    def documents(self) -> list[Document]:
        made = pages(10)
        return [Document(content, url, metadata={"url": url, "date": at.isoformat()}) for url, content, at in made]

    def test_a_page_becomes_text(self) -> None:
        documents = [*self.documents(), Document("<script>tea()</script>", "empty")]
        found = list(UrlTree(timeout=10).run(documents))
        self.assertEqual(len(found), 11, "a page without text is dropped")
        self.assertIn(sentences(30, 4), found[3].text)
        markdown = list(UrlTree(timeout=10, output_format="markdown").run(self.documents()))
        self.assertTrue(markdown[3].text.startswith("# "), markdown[3].text)

    def test_a_site_is_learned_on_the_way(self) -> None:
        found = list(UrlTreeSites().run(self.documents()))
        self.assertEqual(len(found), 10, "the copy is dropped")
        self.assertEqual(found[-1].metadata["support"], 10)
        self.assertIn(sentences(30, 4), found[3].text)


if __name__ == "__main__":
    unittest.main()
