"""Readers for published corpora and for files of one's own."""
