"""Constituency and dependency parses, and conversion of one into the other."""
