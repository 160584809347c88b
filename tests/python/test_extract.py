"""One page: the drop-in for trafilatura."""

import json
import unittest
import warnings
from datetime import date

import urltree
from pages import html, sentences

PAGE = html(3)
STORY = sentences(30, 4)


class Extract(unittest.TestCase):
    def test_text_and_bytes_give_the_same_text(self) -> None:
        text = urltree.extract(PAGE)
        assert text is not None
        self.assertIn(STORY, text)
        self.assertNotIn("What we serve", text)
        self.assertNotIn("A reader says", text)
        for content in (PAGE.encode(), bytearray(PAGE.encode()), memoryview(PAGE.encode())):
            self.assertEqual(urltree.extract(content, url="http://www.teahouse.example/3"), text)

    def test_a_tree_of_lxml_gives_the_text_of_its_page(self) -> None:
        try:
            import lxml.html  # type: ignore[import-untyped]
        except ImportError:
            self.skipTest("lxml is not installed")
        tree = lxml.html.document_fromstring(PAGE)
        text = urltree.extract(PAGE, url="http://www.teahouse.example/3")
        for content in (tree, tree.getroottree()):
            self.assertEqual(urltree.extract(content, url="http://www.teahouse.example/3"), text)

    def test_what_is_no_page_has_no_text(self) -> None:
        for content in (None, b"", "", "   ", b"\0\1\2\3\0\0", b"\x89PNG\r\n\x1a\n\0\0\0", "<p></p>", "<script>tea()</script>"):
            self.assertIsNone(urltree.extract(content), content)

    def test_other_types_are_refused(self) -> None:
        for content in (3, ["<p>tea"], object()):
            with self.assertRaisesRegex(TypeError, "expected bytes, a buffer, str, a tree of lxml or None"):
                urltree.extract(content)  # type: ignore[arg-type]

    def test_markdown_has_structure(self) -> None:
        text = urltree.extract(PAGE, output_format="markdown")
        assert text is not None
        self.assertTrue(text.startswith("# "), text)
        self.assertIn("- One **cup** of", text)
        self.assertIn("| --- |", text)
        plain = urltree.extract(PAGE, output_format="markdown", include_formatting=False)
        assert plain is not None
        self.assertIn("- One cup of", plain)

    def test_comments_and_tables_are_options(self) -> None:
        with_comments = urltree.extract(PAGE, include_comments=True)
        without_tables = urltree.extract(PAGE, include_tables=False)
        assert with_comments is not None and without_tables is not None
        self.assertIn("A reader says", with_comments)
        self.assertIn("Guests", with_comments)
        self.assertNotIn("Guests", without_tables)
        named = urltree.extract(PAGE.replace("<table", '<table id="guests"'), include_tables=False)
        self.assertEqual(named, without_tables)

    def test_json_and_header_have_metadata(self) -> None:
        found = urltree.extract(PAGE, output_format="json", with_metadata=True, record_id="a7")
        assert found is not None
        fields = json.loads(found)
        self.assertEqual(fields["id"], "a7")
        self.assertEqual(fields["author"], "Ann Leaf")
        self.assertEqual(fields["date"], "2011-10-23")
        self.assertEqual(fields["source"], "http://www.teahouse.example/stories/3")
        self.assertEqual(fields["hostname"], "www.teahouse.example")
        self.assertIn(STORY, fields["text"])
        self.assertEqual(list(json.loads(urltree.extract(PAGE, output_format="json") or "")), ["text"])
        header = urltree.extract(PAGE, with_metadata=True)
        assert header is not None
        self.assertTrue(header.startswith('---\ntitle: "'), header)
        self.assertIn('author: "Ann Leaf"\n', header)
        anonymous = urltree.extract(PAGE, with_metadata=True, author_blacklist={"Ann Leaf"})
        assert anonymous is not None
        self.assertNotIn("Ann Leaf", anonymous)

    def test_filters_return_none(self) -> None:
        self.assertIsNone(urltree.extract(PAGE, target_language="el"))
        self.assertIsNotNone(urltree.extract(PAGE, only_with_metadata=True))
        self.assertIsNone(urltree.extract(PAGE, only_with_metadata=True, fetched_on=date(2011, 10, 1)))
        self.assertIsNone(urltree.extract("<p>Tea is a drink.", only_with_metadata=True))
        url = "http://www.teahouse.example/3"
        self.assertIsNone(urltree.extract(PAGE, url, url_blacklist={url}))

    def test_arguments_of_trafilatura_warn_or_are_refused(self) -> None:
        with self.assertWarnsRegex(UserWarning, "ignores favor_precision"):
            self.assertIn(STORY, urltree.extract(PAGE, favor_precision=True) or "")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertIn(STORY, urltree.extract(PAGE, favor_precision=False, config=None) or "")
        with self.assertRaisesRegex(urltree.UsageError, "prune_xpath"):
            urltree.extract(PAGE, prune_xpath="//div")
        with self.assertRaisesRegex(urltree.UsageError, "txt, markdown, json"):
            urltree.extract(PAGE, output_format="xml")
        with self.assertRaisesRegex(TypeError, "include_tabels"):
            urltree.extract(PAGE, include_tabels=True)


class Charsets(unittest.TestCase):
    TEA = "Čaj je nápoj, který nikdo nepije před večerem, protože je příliš horký."

    def test_a_wrong_declaration_does_not_garble_the_text(self) -> None:
        page = f'<meta charset="windows-1250"><p>{self.TEA}</p>'
        # Text is text, whatever it declares; bytes that are UTF-8 prove a declaration wrong.
        for content in (page, page.encode(), page.encode("windows-1250")):
            self.assertEqual(urltree.extract(content), self.TEA)
        wrong = page.replace("windows-1250", "utf-16").encode("windows-1250")
        self.assertEqual(urltree.extract(wrong, charset="windows-1250"), self.TEA)
        site = urltree.Site()
        found = site.extract("http://a.example/1", page.encode(), charset="no-such-charset")
        self.assertEqual((found.text, found.charset), (self.TEA, "UTF-8"))
        self.assertTrue(any("no-such-charset" in warning for warning in found.warnings), found.warnings)

    def test_characters_that_utf_8_and_html_lack_do_no_harm(self) -> None:
        self.assertEqual(urltree.extract("<p>Tea \ud800 house"), "Tea ? house")
        self.assertEqual(urltree.extract("<p>Tea\0house"), "Teahouse")


class Hostile(unittest.TestCase):
    def test_pages_made_to_be_expensive_end(self) -> None:
        for page in (
            "<div>" * 200_000,
            "<p>" + "a" * 3_000_000,
            "<a " + "b=c " * 300_000 + ">tea</a>",
            "<table><tr>" * 60_000 + "<td>tea",
            "<p>&" + "amp;" * 500_000,
            "<ul>" + "<li>tea<ul>" * 50_000,
            "<!--" * 500_000,
            "<" * 1_000_000,
        ):
            for output_format in ("txt", "markdown"):
                found = urltree.extract(page, output_format=output_format)
                self.assertTrue(found is None or isinstance(found, str))


if __name__ == "__main__":
    unittest.main()
