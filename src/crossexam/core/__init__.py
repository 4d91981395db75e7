"""What all stages share: examples, labels, datasets, runs, estimates, files; standard library only."""
