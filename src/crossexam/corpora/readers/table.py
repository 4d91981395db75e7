"""The table of readers, by name of the corpus."""

from __future__ import annotations

from typing import Final

from crossexam.corpora.readers import (
    adversarial,
    annotated,
    challenge_sets,
    fact_checking,
    fracas,
    glue,
    human_judged,
    recast,
)
from crossexam.corpora.readers.file_formats import (
    blocks,
    first_of_names,
    groups_of_quoted,
    headless,
    json_array,
    may_end_before,
)
from crossexam.corpora.readers.reader import Reader

_AS_DOCUMENTED: Final = "its documented format"
_TWO: Final = "two labels"
_SPLITS: Final = ("train", "dev", "test")
_PAIR: Final = ("premise", "hypothesis", "label")
# fmt: off
_SCITAIL: Final = {
    **{f"scitail_1.0_{split}.tsv": headless(_PAIR) for split in _SPLITS},
    **{f"scitail_1.0_structure_{split}.tsv": headless((*_PAIR, "structure")) for split in _SPLITS},
}
_ADD_ONE: Final = ("score", "answer", "sentence", "adjective", "noun", "premise", "hypothesis")
# How many adjacent rows of each folder of CAD-NLI belong to one pair of SNLI.
_CAD_NLI: Final = {
    "original": 1, "revised_premise": 2, "revised_hypothesis": 2, "revised_combined": 4, "all_combined": 5,
}


def _recast(tested_on: str) -> Reader:
    splitters = {"_data.txt": blocks, "_data.json": json_array}
    return Reader(recast.recast, tested_on, splitters, _TWO, frozenset(_SPLITS))


#: All other corpora have the columns of ``corpora/columns.py`` (SNLI, SNLI-hard, MultiNLI, AQuA-RAT).
READERS: Final[dict[str, Reader]] = {
    "sick": Reader(human_judged.sick, "official files; the hub's copy as documented"),
    "joci": Reader(human_judged.joci, "official files"),
    "scitail": Reader(
        human_judged.scitail,
        "a copy of the test split as CSV; the four official formats and the hub's copy as documented",
        _SCITAIL, projection="no contradiction",
    ),
    "mpe": Reader(
        human_judged.mpe, "official files",
        {f"mpe_{split}.txt": may_end_before("gold_label") for split in _SPLITS},
    ),
    # The projection is for the copy with two labels; a file with all three is scored as it is.
    "diagnostic": Reader(
        glue.diagnostic, "SuperGLUE's AX-b; the file with three labels as documented", projection=_TWO,
    ),
    "add_one": Reader(
        human_judged.add_one,
        "a copy with labels as CSV (train with dev, test); the official columns and the hub's copy as "
        "documented",
        {f"data.{split}": headless(_ADD_ONE, split=split) for split in _SPLITS}, projection=_TWO,
    ),
    "cb": Reader(
        glue.commitment_bank,
        "SuperGLUE's train and val; the table of items and the hub's copy as documented",
        {"CommitmentBank-items.csv": first_of_names},
    ),
    "rte": Reader(
        glue.rte, "official files; SuperGLUE's and the hub's copy as documented", projection=_TWO,
    ),
    "wnli": Reader(glue.wnli, "official files; the hub's copy as documented", projection=_TWO),
    "dpr": _recast("a reconstruction as TSV; the blocks and DNC's JSON as documented"),
    "spr": _recast(_AS_DOCUMENTED),
    "fn_plus": _recast(_AS_DOCUMENTED),
    "multinli_hard": Reader(
        challenge_sets.multinli_hard, "MultiNLI dev with the field hard; its documented format",
    ),
    "multinli_annotated": Reader(
        annotated.annotated, _AS_DOCUMENTED, {"_annotations.txt": annotated.tagged_pairs},
    ),
    "hans": Reader(challenge_sets.hans, _AS_DOCUMENTED, projection=_TWO),
    "naik_stress": Reader(challenge_sets.naik_stress, _AS_DOCUMENTED),
    "breaking_nli": Reader(challenge_sets.breaking_nli, "official files"),
    "conjnli": Reader(challenge_sets.conjnli, _AS_DOCUMENTED),
    "monli": Reader(challenge_sets.monli, _AS_DOCUMENTED, projection="no contradiction"),
    "med": Reader(challenge_sets.med, _AS_DOCUMENTED, projection=_TWO),
    "fracas": Reader(fracas.fracas, _AS_DOCUMENTED, {".xml": fracas.problems}),
    "anli": Reader(adversarial.anli, _AS_DOCUMENTED),
    "wanli": Reader(adversarial.wanli, _AS_DOCUMENTED),
    "cad_nli": Reader(
        adversarial.cad_nli, _AS_DOCUMENTED,
        {
            f"{folder}{between}{split}.tsv": groups_of_quoted(size)
            for folder, size in _CAD_NLI.items()
            for between in "/_"
            for split in _SPLITS
        },
    ),
    "chaosnli": Reader(adversarial.chaosnli, "official files"),
    "aggrefact": Reader(fact_checking.aggrefact, _AS_DOCUMENTED, projection=_TWO),
    "true": Reader(fact_checking.true, _AS_DOCUMENTED, projection=_TWO),
    "summac": Reader(
        fact_checking.summac, _AS_DOCUMENTED, projection=_TWO,
        inner_splits=frozenset(fact_checking.CUTS.values()),
    ),
}
# fmt: on
