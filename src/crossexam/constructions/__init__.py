"""Constructions of test sets, one file each, and the table of them."""
