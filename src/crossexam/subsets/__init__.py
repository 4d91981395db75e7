"""Parts of a corpus that were chosen by what a model answers about it."""
