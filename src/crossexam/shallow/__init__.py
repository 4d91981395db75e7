"""Shallow baselines: models that are fitted without a training loop."""
