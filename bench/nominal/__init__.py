"""The populations of ``bench/coverage.py``, and what is computed from samples of them, by topic."""
