"""Studies as suites: which test sets, which measures, which tables."""
