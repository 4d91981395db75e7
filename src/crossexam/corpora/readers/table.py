"""The table of readers, by name of the corpus."""

from __future__ import annotations

from typing import Final

from crossexam.core.imports import imported
from crossexam.corpora.readers.reader import Reader

#: All other corpora have the columns of ``corpora/columns.py`` (SNLI, SNLI-hard, MultiNLI, AQuA-RAT).
_ALL: Final = {
    "sick": "crossexam.corpora.readers.human_judged:SICK",
    "joci": "crossexam.corpora.readers.human_judged:JOCI",
    "scitail": "crossexam.corpora.readers.human_judged:SCITAIL",
    "mpe": "crossexam.corpora.readers.human_judged:MPE",
    "diagnostic": "crossexam.corpora.readers.glue:DIAGNOSTIC",
    "add_one": "crossexam.corpora.readers.human_judged:ADD_ONE",
    "cb": "crossexam.corpora.readers.glue:COMMITMENT_BANK",
    "rte": "crossexam.corpora.readers.glue:RTE",
    "wnli": "crossexam.corpora.readers.glue:WNLI",
    "dpr": "crossexam.corpora.readers.recast:DPR",
    "spr": "crossexam.corpora.readers.recast:SPR",
    "fn_plus": "crossexam.corpora.readers.recast:FN_PLUS",
    "multinli_hard": "crossexam.corpora.readers.challenge_sets:MULTINLI_HARD",
    "multinli_annotated": "crossexam.corpora.readers.annotated:MULTINLI_ANNOTATED",
    "hans": "crossexam.corpora.readers.challenge_sets:HANS",
    "naik_stress": "crossexam.corpora.readers.challenge_sets:NAIK_STRESS",
    "breaking_nli": "crossexam.corpora.readers.challenge_sets:BREAKING_NLI",
    "conjnli": "crossexam.corpora.readers.challenge_sets:CONJNLI",
    "monli": "crossexam.corpora.readers.challenge_sets:MONLI",
    "med": "crossexam.corpora.readers.challenge_sets:MED",
    "fracas": "crossexam.corpora.readers.fracas:FRACAS",
    "anli": "crossexam.corpora.readers.adversarial:ANLI",
    "wanli": "crossexam.corpora.readers.adversarial:WANLI",
    "cad_nli": "crossexam.corpora.readers.adversarial:CAD_NLI",
    "chaosnli": "crossexam.corpora.readers.adversarial:CHAOSNLI",
    "aggrefact": "crossexam.corpora.readers.fact_checking:AGGREFACT",
    "true": "crossexam.corpora.readers.fact_checking:TRUE",
    "summac": "crossexam.corpora.readers.fact_checking:SUMMAC",
}

READERS: Final[dict[str, Reader]] = {name: imported(path) for name, path in _ALL.items()}
