"""Statistics as pure functions of arrays.

Arrays over items are [n]; shares, accuracies and probabilities are between 0 and 1.  An interval is an
:class:`crossexam.core.estimate.Estimate`, at 95 % unless *confidence* says otherwise.
"""
