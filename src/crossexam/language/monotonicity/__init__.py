"""Monotonicity: which positions of a sentence license more general or more specific words."""
