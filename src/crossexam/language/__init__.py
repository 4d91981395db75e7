"""What is known of English: tokens, numbers, inflection, lexicons, annotators."""
