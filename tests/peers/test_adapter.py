"""Tests the adapter with a worker that fails in every possible way."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path
from typing import Any

import adapter

HERE = Path(__file__).resolve().parent


def worker() -> None:
    """Does what the HTML of a page names, and counts the pages of this process."""
    print(
        json.dumps({"extractor": "none", "version": "1", "runtime": "here"}), flush=True
    )
    for seen, line in enumerate(sys.stdin, start=1):
        page = json.loads(line)
        answer = {"page": page["page"], "text": f"{seen} seen", "cpu_seconds": 0.5}
        match page["html"]:
            case "raise":
                answer = {"page": page["page"], "error": "raised", "cpu_seconds": 0.5}
            case "hang":
                time.sleep(600)
            case "exit":
                sys.exit(3)
            case "die":
                os.kill(os.getpid(), signal.SIGSEGV)
        print(json.dumps(answer), flush=True)


def answers(*pages: str, seconds: float = 60.0) -> list[dict[str, Any]]:
    """Returns the adapter's answers to the pages, without its header."""
    lines = (
        json.dumps({"page": number, "url": "", "html": html})
        for number, html in enumerate(pages)
    )
    command = [sys.executable, str(HERE / "adapter.py"), "--seconds", str(seconds)]
    done = subprocess.run(
        [*command, sys.executable, __file__, "worker"],
        input="\n".join(lines) + "\n",
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    header, *said = (json.loads(line) for line in done.stdout.splitlines())
    assert header == {"extractor": "none", "version": "1", "runtime": "here"}
    assert [answer["page"] for answer in said] == list(range(len(pages)))
    return said


class Adapter(unittest.TestCase):
    def test_only_the_first_page_is_seen_twice(self) -> None:
        texts = [answer["text"] for answer in answers("", "", "")]
        self.assertEqual(texts, ["2 seen", "3 seen", "4 seen"])

    def test_pages_after_an_error_are_answered(self) -> None:
        failed, after = answers("raise", "")
        self.assertEqual(failed, {"page": 0, "error": "raised", "cpu_seconds": 0.5})
        self.assertEqual(after["text"], "3 seen")

    def test_a_page_over_the_time_limit_is_an_error(self) -> None:
        _, cut, after = answers("", "hang", "", seconds=4.0)
        self.assertEqual(cut["error"], "exceeded the time limit of 4 s")
        self.assertGreaterEqual(cut["cpu_seconds"], 4.0)
        self.assertEqual(after["text"], "2 seen", "by a new worker, warmed up")

    def test_a_worker_that_dies_is_replaced(self) -> None:
        exited, died, after = answers("exit", "die", "")
        self.assertEqual(exited["error"], "the worker ended: exit code 3")
        self.assertEqual(died["error"], "the worker ended: SIGSEGV")
        self.assertEqual(after["text"], "2 seen")


class Text(unittest.TestCase):
    def test_the_title_is_not_repeated(self) -> None:
        self.assertEqual(
            adapter.titled("A \n title", "The text."), "A title\nThe text."
        )
        self.assertEqual(
            adapter.titled("A title", "A Title! The text."), "A Title! The text."
        )
        self.assertEqual(adapter.titled("", "The text."), "The text.")
        self.assertEqual(adapter.titled("A title", ""), "")

    def test_blocks_of_html_become_lines(self) -> None:
        html = (
            "<h1>One</h1><p>Tw<b>o</b> &amp;\n three<br>four</p><script>five</script>"
        )
        self.assertEqual(adapter.text_of(html), "One\nTwo & three\nfour")


if __name__ == "__main__":
    if sys.argv[1:] == ["worker"]:
        worker()
    else:
        unittest.main()
