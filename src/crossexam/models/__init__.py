"""What answers: built-in rules, prediction files, functions, transformers checkpoints."""
