"""Cross-examine models of natural language inference."""
