"""Prompts: how a pair becomes a question to a language model, and how the labels are written as answers."""
