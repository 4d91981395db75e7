"""Several models at once: their order, and their agreement."""
