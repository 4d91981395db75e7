"""Readers of corpora with formats of their own: one function per corpus, in one table."""
