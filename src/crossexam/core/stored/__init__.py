"""Examples in files of test sets: as rows, encoded, and read when they are used."""
