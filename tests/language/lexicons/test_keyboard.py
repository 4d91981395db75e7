"""The keyboard's tables against its geometry."""

import string

from crossexam.language.lexicons.keyboard import BESIDE, NEIGHBOURS, neighbours

ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
OFFSETS = (0.0, 0.25, 0.75)  # in keys: the stagger of ANSI INCITS 154
PLACES = {key: (row, OFFSETS[row] + at) for row, keys in enumerate(ROWS) for at, key in enumerate(keys)}


def test_tables_are_those_of_the_keys_places() -> None:
    for letter in string.ascii_lowercase:
        row, at = PLACES[letter]
        beside = {other for other, (r, x) in PLACES.items() if r == row and abs(x - at) == 1}
        near = {other for other, (r, x) in PLACES.items() if abs(r - row) == 1 and abs(x - at) < 1}
        assert set(BESIDE[letter]) == beside
        assert sorted(NEIGHBOURS[letter]) == sorted(beside | near)  # each once


def test_case_is_kept_and_others_have_none() -> None:
    assert "m" in neighbours("n")  # the paper's example: contractimg
    assert (neighbours("Q"), neighbours("Q", diagonal=True)) == ("W", "WA")
    assert [neighbours(mark) for mark in ("1", " ", ".", "é", "", "ab")] == [""] * 6
