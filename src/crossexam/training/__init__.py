"""Fit a model of the zoo or a checkpoint of transformers; needs the extra ``torch``."""
