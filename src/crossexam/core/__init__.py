"""What every stage passes on: examples, labels, runs, estimates, files; standard library only."""
