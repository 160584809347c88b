"""The package without the job."""

import subprocess
import sys
import unittest

import urltree
from pages import pages


class Alone(unittest.TestCase):
    def test_a_site_has_the_defaults_of_a_job(self) -> None:
        site = urltree.Site()
        last = [site.extract(*page) for page in pages(30)][-1]
        labels = {block.text: block.label for block in last.blocks}
        self.assertEqual((last.support, labels["What we serve"]), (30, "boilerplate"))
        # The bundled rules keep what identifies a page.
        key = urltree.Site().extract("http://a.example/item?id=3&sid=4", pages(1)[0][1]).url_key
        self.assertIn("id=3", key)

    def test_what_needs_the_job_names_its_wheel(self) -> None:
        with self.assertRaisesRegex(urltree.UsageError, r"urltree-text\[job\]"):
            urltree.run("job.toml")
        with self.assertRaisesRegex(urltree.UsageError, r"urltree-text\[job\]"):
            urltree.Site(settings={"window.max_pages": 5})
        command = [sys.executable, "-m", "urltree", "--version"]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("urltree-text[job]", done.stderr)


if __name__ == "__main__":
    unittest.main()
