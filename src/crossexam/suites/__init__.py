"""Suites: the test sets of published studies, and how to build them."""
