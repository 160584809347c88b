"""The command `urltree`, as `pip` installs it."""

import signal
import sys

from . import _native
from ._errors import NO_JOB


def main() -> int:
    """Run the command with the arguments of the process. Returns its exit code."""
    if not hasattr(_native, "main"):
        print(f"urltree: {NO_JOB}", file=sys.stderr)
        return 2
    # The handler of Python only notes SIGINT, and looks at the note when the command has ended.
    # The command handles the signal itself while a run is under way.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.main(["urltree", *sys.argv[1:]])
