"""``python -m gauss_opt`` is the command ``gauss-opt``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
