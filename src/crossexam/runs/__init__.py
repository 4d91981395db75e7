"""Asking a model: batches, the store of answers, resuming."""
