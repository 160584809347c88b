"""Runs the Python of a page of the documentation, and compares what it prints with the page.

A block ```python is run. A block ```text right after it is its output. All blocks share their names.
"""

import difflib
import io
import re
import sys
from contextlib import redirect_stdout

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main(path: str) -> int:
    with open(path, encoding="utf-8") as file:
        page = file.read()
    names: dict[str, object] = {"__name__": "__main__"}
    printed, end, compared = None, 0, 0
    for block in BLOCK.finditer(page):
        kind, text = block.groups()
        if kind == "python":
            out = io.StringIO()
            with redirect_stdout(out):
                exec(compile(text, path, "exec"), names)
            printed, end = out.getvalue(), block.end()
        elif kind == "text" and printed is not None and not page[end : block.start()].strip():
            differences = difflib.unified_diff(text.splitlines(), printed.splitlines(), path, "printed", lineterm="")
            for difference in differences:
                print(difference)
                printed = None
            if printed is None:
                return 1
            compared += 1
            printed = None
    print(f"{path}: {compared} outputs compared")
    return 0 if compared >= 4 else 1


sys.exit(main(sys.argv[1]))
