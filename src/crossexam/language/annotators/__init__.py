"""Who answers which part of speech a word has: shipped parses, spaCy, NLTK."""
