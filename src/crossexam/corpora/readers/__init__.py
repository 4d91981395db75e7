"""Readers of corpora whose files say it their own way: one function of a record each, in a table."""
