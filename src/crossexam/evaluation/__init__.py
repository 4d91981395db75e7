"""From a run to numbers: accuracies, drops, slices, comparisons."""
