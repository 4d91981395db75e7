"""Human judgement: draw items, ask judges on a local page, and say how far they hold."""
