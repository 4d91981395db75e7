"""Lexical resources as tables: WordNet, keyboard neighbours, word lists."""
