"""Sections of single analyses: each turns what one of them found into tables and charts."""
