"""Published figures of the four studies, as data."""
