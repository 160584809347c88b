"""Pages, blocks and metadata go to other processes."""

import copy
import multiprocessing
import pickle
import unittest
from typing import Any

import urltree
from pages import FIRST, html, pages


def extracted(number: int) -> urltree.Page:
    """A page of another process."""
    return urltree.Site().extract(f"http://www.teahouse.example/stories/{number}", html(number), FIRST)


def values(found: Any) -> dict[str, Any]:
    """What a page, a block or metadata says."""
    names = [name for name in dir(found) if not name.startswith(("_", "to_"))]
    read = {name: getattr(found, name) for name in names}
    if "blocks" in read:
        read["blocks"] = [values(block) for block in read["blocks"]]
        read["metadata"] = read["metadata"] and values(read["metadata"])
        read["with_links"] = found.to_markdown(links=True, comments=True)
    return read


class Pickles(unittest.TestCase):
    def test_what_was_pickled_says_the_same(self) -> None:
        site = urltree.Site()
        found = [site.extract(*page) for page in pages(9)]
        self.assertIsNotNone(found[-1].duplicate_of)
        found.append(site.extract("http://www.teahouse.example/none", None, FIRST, add=False))
        for page in found:
            for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
                self.assertEqual(values(pickle.loads(pickle.dumps(page, protocol))), values(page))
            self.assertEqual(values(copy.deepcopy(page)), values(page))
        for part in (found[0].blocks[0], found[0].metadata):
            self.assertEqual(values(pickle.loads(pickle.dumps(part))), values(part))

    def test_a_block_takes_no_page_with_it(self) -> None:
        page = extracted(3)
        self.assertLess(len(pickle.dumps(page.blocks[0])), 300)
        self.assertGreater(len(pickle.dumps(page)), 2000)

    def test_another_process_returns_pages(self) -> None:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            for number, page in enumerate(pool.map(extracted, range(3))):
                self.assertEqual(values(page), values(extracted(number)))

    def test_a_text_that_is_no_state_is_refused(self) -> None:
        for kind in (urltree.Page, urltree.Block, urltree.Metadata):
            with self.assertRaisesRegex(urltree.UsageError, "pickle"):
                kind("no state")


if __name__ == "__main__":
    unittest.main()
