"""Suites as tasks of other harnesses."""
