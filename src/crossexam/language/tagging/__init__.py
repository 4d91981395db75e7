"""Part-of-speech taggers: the corpus's own parses, NLTK's tagger, spaCy pipelines."""
