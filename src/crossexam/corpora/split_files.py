"""The files of corpora with a name: by split, what else they are called, what each corpus is."""

from __future__ import annotations

from typing import Final

BUILTIN: Final = "builtin"

# Files by split, the preferred first.  A name with a folder is too plain to be looked for elsewhere.
# fmt: off
SPLITS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "snli": {
        "train": ("snli_1.0_train.jsonl", "snli_1.0_train.txt"),
        "dev":   ("snli_1.0_dev.jsonl",   "snli_1.0_dev.txt"),
        "test":  ("snli_1.0_test.jsonl",  "snli_1.0_test.txt"),
    },
    "multinli": {
        "train":          ("multinli_1.0_train.jsonl",          "multinli_1.0_train.txt"),
        "dev_matched":    ("multinli_1.0_dev_matched.jsonl",    "multinli_1.0_dev_matched.txt"),
        "dev_mismatched": ("multinli_1.0_dev_mismatched.jsonl", "multinli_1.0_dev_mismatched.txt"),
    },
    "aqua": {
        "train": ("aqua_train.json", "AQuA/train.json", "aqua/train.json"),
        "dev":   ("aqua_dev.json",   "AQuA/dev.json",   "aqua/dev.json"),
        "test":  ("aqua_test.json",  "AQuA/test.json",  "aqua/test.json"),
    },
    "snli-hub": {
        "train": ("snli_hub_train.parquet",),
        "dev":   ("snli_hub_dev.parquet",),
        "test":  ("snli_hub_test.parquet",),
    },
    "multinli-hub": {
        "train":          ("multinli_hub_train.parquet",),
        "dev_matched":    ("multinli_hub_dev_matched.parquet",),
        "dev_mismatched": ("multinli_hub_dev_mismatched.parquet",),
    },
    "sick": {
        "train": ("SICK_train.txt", "sick_hub_train.parquet"),
        "dev":   ("SICK_trial.txt", "sick_hub_dev.parquet"),
        "test":  ("SICK_test_annotated.txt", "sick_hub_test.parquet"),
        "all":   ("SICK.txt",),
    },
    "scitail": {
        "train": ("scitail_1.0_train.tsv", "scitail_1.0_train.txt", "scitail_train.csv"),
        "dev":   ("scitail_1.0_dev.tsv", "scitail_1.0_dev.txt", "scitail_dev.csv"),
        "test":  ("scitail_1.0_test.tsv", "scitail_1.0_test.txt", "scitail_test.csv"),
    },
    "dpr": {
        "all":   ("dpr_data.txt", "dpr_reconstructed.tsv"),
        "train": ("dpr_data.txt", "dpr_reconstructed.tsv"),
        "dev":   ("dpr_data.txt", "dpr_reconstructed.tsv"),
        "test":  ("dpr_data.txt", "dpr_reconstructed.tsv"),
    },
    BUILTIN: {
        "demo":          ("demo.jsonl",),
        "word_problems": ("word_problems.jsonl",),
    },
}

CORPUS_ALIASES: Final[dict[str, str]] = {"mnli": "multinli", "multi_nli": "multinli", "aqua_rat": "aqua"}
SPLIT_ALIASES: Final[dict[str, str]] = {
    "validation": "dev", "valid": "dev", "val": "dev", "development": "dev",
    "matched": "dev_matched", "validation_matched": "dev_matched",
    "mismatched": "dev_mismatched", "validation_mismatched": "dev_mismatched",
}
# fmt: on

#: What reads each corpus and what it is; the rest of what is known of it is in ``catalog.toml``.
CORPORA: Final[dict[str, tuple[str, str]]] = {
    "snli": ("pairs", "SNLI 1.0, the official files: captions, with parses"),
    "multinli": ("pairs", "MultiNLI 1.0, the official files: ten genres, with parses"),
    "aqua": ("word problems", "AQuA-RAT: algebra word problems with rationales"),
    "snli-hub": ("pairs", "SNLI, the hub's Parquet copy: text and label only"),
    "multinli-hub": ("pairs", "MultiNLI, the hub's Parquet copy: with genre and parses"),
    "sick": ("sick", "SICK: captions of pictures and videos, altered; judged for entailment (SemEval 2014)"),
    "scitail": ("scitail", "SciTail: science questions as hypotheses, web sentences as premises"),
    "dpr": ("recast", "DPR: definite pronoun resolution recast as NLI"),
    BUILTIN: ("pairs; word problems", "comes with Crossexam: pairs (demo) and word problems"),
}
