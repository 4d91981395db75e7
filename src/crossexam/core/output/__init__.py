"""Text from elsewhere in what Crossexam writes: escaped for each output, and as names of files."""
