"""Gates: rules that a run must keep to, alone or against a baseline, and the decision about them."""
