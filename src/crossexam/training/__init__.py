"""Training of the zoo's models and fine-tuning of transformers; needs the extra ``torch``."""
