"""The table of readers, by name of the corpus."""

from __future__ import annotations

from typing import Final

from crossexam.corpora.readers.adversarial import ANLI, CAD_NLI, CHAOSNLI, WANLI
from crossexam.corpora.readers.challenge_sets import BREAKING_NLI, CONJNLI, HANS, MED, MONLI, MULTINLI_HARD
from crossexam.corpora.readers.fracas import FRACAS
from crossexam.corpora.readers.glue import COMMITMENT_BANK, DIAGNOSTIC, RTE, WNLI
from crossexam.corpora.readers.human_judged import ADD_ONE, JOCI, MPE, SCITAIL, SICK
from crossexam.corpora.readers.reader import Reader
from crossexam.corpora.readers.recast import DPR, FN_PLUS, SPR

#: All other corpora have the columns of ``corpora/columns.py`` (SNLI, SNLI-hard, MultiNLI, AQuA-RAT).
READERS: Final[dict[str, Reader]] = {
    "sick": SICK,
    "joci": JOCI,
    "scitail": SCITAIL,
    "mpe": MPE,
    "diagnostic": DIAGNOSTIC,
    "add_one": ADD_ONE,
    "cb": COMMITMENT_BANK,
    "rte": RTE,
    "wnli": WNLI,
    "dpr": DPR,
    "spr": SPR,
    "fn_plus": FN_PLUS,
    "multinli_hard": MULTINLI_HARD,
    "hans": HANS,
    "breaking_nli": BREAKING_NLI,
    "conjnli": CONJNLI,
    "monli": MONLI,
    "med": MED,
    "fracas": FRACAS,
    "anli": ANLI,
    "wanli": WANLI,
    "cad_nli": CAD_NLI,
    "chaosnli": CHAOSNLI,
}
