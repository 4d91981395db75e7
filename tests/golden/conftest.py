"""The scripts of this folder are run by tests, and are none themselves."""

collect_ignore_glob = ["*.py"]
