"""Runs a worker as an adapter, as README.md defines it: `adapter.py WORKER...`.

A worker only extracts. The adapter adds the common parts: the warm-up, the time limit
of a page, the replacement of a worker that ended, the conversion of HTML to text, and
the title before the text.
"""

from __future__ import annotations

import argparse
import json
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from html.parser import HTMLParser
from typing import Any, TextIO

PAGE_SECONDS = 60.0
START_SECONDS = 60.0

# fmt: off
INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del",
    "dfn", "em", "font", "i", "img", "ins", "kbd", "mark", "q", "ruby", "s", "samp",
    "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
})
# fmt: on


class WorkerLostError(Exception):
    """The worker ended or was killed without an answer."""


class Worker:
    """A running worker with its unread answers."""

    def __init__(self, command: list[str], seconds: float) -> None:
        self.seconds = seconds
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
            )
        except OSError as error:
            sys.exit(str(error))
        self.answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            self.header = self._answer(START_SECONDS)
        except WorkerLostError as lost:
            sys.exit(str(lost))

    def ask(self, line: str) -> dict[str, Any]:
        """Returns the answer to a page. Raises WorkerLostError after the time limit."""
        try:
            self._input().write(line)
            self._input().flush()
        except BrokenPipeError:
            pass
        return self._answer(self.seconds)

    def close(self) -> None:
        """Closes the input of the worker and waits for its end."""
        self._input().close()
        self.process.wait()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def _answer(self, seconds: float) -> dict[str, Any]:
        try:
            line = self.answers.get(timeout=seconds)
        except queue.Empty:
            self.kill()
            raise WorkerLostError(f"exceeded the time limit of {seconds:g} s") from None
        if not line:
            raise WorkerLostError(f"the worker ended: {ended(self.process.wait())}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.answers.put(line)
        self.answers.put("")

    def _input(self) -> TextIO:
        assert self.process.stdin
        return self.process.stdin  # type: ignore[return-value]


def ended(code: int) -> str:
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name


def run(command: list[str], seconds: float) -> None:
    """Answers the pages on standard input."""
    worker = Worker(command, seconds)
    say({key: worker.header[key] for key in ("extractor", "version", "runtime")})
    warm = False
    try:
        for line in sys.stdin:
            page = json.loads(line)["page"]
            if worker.process.poll() is not None:
                worker, warm = Worker(command, seconds), False
            start = time.monotonic()
            try:
                if not warm:
                    worker.ask(line)
                    warm, start = True, time.monotonic()
                say(finished(worker.ask(line)))
            except WorkerLostError as lost:
                elapsed = time.monotonic() - start
                say({"page": page, "error": str(lost), "cpu_seconds": elapsed})
        worker.close()
    finally:
        worker.kill()


def say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


def finished(answer: dict[str, Any]) -> dict[str, Any]:
    """Converts a worker's answer to that of the adapter: an error, or one text."""
    seconds = {"cpu_seconds": answer["cpu_seconds"]}
    if "error" in answer:
        return {"page": answer["page"], "error": answer["error"], **seconds}
    text = answer.get("text") or text_of(answer.get("html") or "")
    text = titled(answer.get("title") or "", text)
    # Half a surrogate pair is not valid text for a reader of UTF-8.
    text = text.encode(errors="replace").decode()
    return {"page": answer["page"], "text": text, **seconds}


def titled(title: str, text: str) -> str:
    """Puts the title before the text, unless the text begins with the title's words.

    An empty text stays empty, also if there is a title.
    """
    words = words_of(title)
    if not text.strip() or words_of(text)[: len(words)] == words:
        return text
    return f"{' '.join(title.split())}\n{text}"


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def text_of(html: str) -> str:
    """Converts an extractor's HTML to text, one line per block."""
    parser = Text()
    parser.feed(html)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.pieces).split("\n"))
    return "\n".join(line for line in lines if line)


class Text(HTMLParser):
    """Collects text; a tag that is not inline begins a new line."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.unseen: str | None = None

    def handle_starttag(self, tag: str, _: object) -> None:
        if tag in ("script", "style", "title"):
            self.unseen = tag
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == self.unseen:
            self.unseen = None
        self._break(tag)

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.pieces.append(re.sub(r"\s", " ", data))

    def _break(self, tag: str) -> None:
        if tag not in INLINE:
            self.pieces.append("\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="An adapter made of a worker.")
    parser.add_argument("--seconds", type=float, default=PAGE_SECONDS)
    parser.add_argument("worker", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    run(arguments.worker, arguments.seconds)


if __name__ == "__main__":
    main()
