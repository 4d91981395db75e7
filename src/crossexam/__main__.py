"""``python -m crossexam``: the command line, where the installed command is not on the path."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:  # Python puts the working folder first, where a file may be called pyarrow.py
        sys.path.append(sys.path.pop(0))
    from crossexam.cli.main import run

    run()
