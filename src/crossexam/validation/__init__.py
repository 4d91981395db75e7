"""Human judgement: sample items, let people judge them on a local page, evaluate their judgements."""
