"""English: tokens, inflection, tagging, parsing, entities, numbers, monotonicity and lexicons."""
