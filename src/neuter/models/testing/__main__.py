"""``python -m neuter.models.testing``: the loopback server by itself."""

import sys

from neuter.models.testing.server import main

if __name__ == "__main__":
    sys.exit(main())
