"""``python -m crossexam``: the command line, where the installed command is not on the path."""

from crossexam.cli.main import run

if __name__ == "__main__":
    run()
