"""Rules by which constructions reject what they could make, as tables of rows."""
