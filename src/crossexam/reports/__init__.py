"""Tables, charts and pages from runs."""
