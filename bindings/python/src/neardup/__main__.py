"""The command ``neardup``, which the package carries: python -m neardup ..."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the command, so that its signals, output and exit status are the command's own."""
    command = Path(__file__).with_name("bin") / "neardup"
    os.execv(command, ["neardup", *sys.argv[1:]])


if __name__ == "__main__":
    main()
