"""`python -m urltree` is the command `urltree`."""

import sys

from ._command import main

if __name__ == "__main__":
    sys.exit(main())
