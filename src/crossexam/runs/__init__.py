"""Running models over test sets: batches, stored predictions, resuming."""
