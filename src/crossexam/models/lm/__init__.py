"""Local language models and verifiers of claims: how probable each label is as the answer to a prompt."""
