"""The corpora that have a name: the files of their splits, other names, and descriptions."""

from __future__ import annotations

from typing import Final

BUILTIN: Final = "builtin"

# Files by split, in order of preference.  A file given with its folder is looked for in that folder only,
# because its own name is too common.
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
    "joci": {
        "train": ("B.train.csv",),
        "dev":   ("B.dev.csv",),
        "test":  ("B.test.csv",),
        "all":   ("joci.csv",),
    },
    "scitail": {
        "train": ("scitail_1.0_train.tsv", "scitail_1.0_train.txt", "scitail_1.0_structure_train.tsv",
                  "scitail_1.0_structure_train.jsonl", "scitail_hub_train.parquet", "scitail_train.csv"),
        "dev":   ("scitail_1.0_dev.tsv", "scitail_1.0_dev.txt", "scitail_1.0_structure_dev.tsv",
                  "scitail_1.0_structure_dev.jsonl", "scitail_hub_dev.parquet", "scitail_dev.csv"),
        "test":  ("scitail_1.0_test.tsv", "scitail_1.0_test.txt", "scitail_1.0_structure_test.tsv",
                  "scitail_1.0_structure_test.jsonl", "scitail_hub_test.parquet", "scitail_test.csv"),
    },
    "mpe": {
        "train": ("mpe_train.txt",),
        "dev":   ("mpe_dev.txt",),
        "test":  ("mpe_test.txt",),
    },
    "diagnostic": {
        "test": ("diagnostic-full.tsv", "AX-b.jsonl"),
    },
    "add_one": {
        "train": ("add_one/data.train", "splits/data.train",
                  "add_one_hub_train.parquet", "add_one/train.csv"),
        "dev":   ("add_one/data.dev", "splits/data.dev", "add_one_hub_dev.parquet"),
        "test":  ("add_one/data.test", "splits/data.test", "add_one_hub_test.parquet", "add_one/dev.csv"),
    },
    "cb": {
        "train": ("cb/train.jsonl", "CB/train.jsonl", "cb_hub_train.parquet"),
        "dev":   ("cb/val.jsonl", "CB/val.jsonl", "cb_hub_dev.parquet"),
        "test":  ("cb/test.jsonl", "CB/test.jsonl", "cb_hub_test.parquet"),
        "all":   ("CommitmentBank-items.csv",),
    },
    "rte": {
        "train": ("rte/train.tsv", "RTE/train.tsv", "RTE/train.jsonl", "rte_hub_train.parquet"),
        "dev":   ("rte/dev.tsv", "RTE/dev.tsv", "RTE/val.jsonl", "rte_hub_dev.parquet"),
        "test":  ("rte/test.tsv", "RTE/test.tsv", "RTE/test.jsonl", "rte_hub_test.parquet"),
    },
    "wnli": {
        "train": ("wnli/train.tsv", "WNLI/train.tsv", "wnli_hub_train.parquet"),
        "dev":   ("wnli/dev.tsv", "WNLI/dev.tsv", "wnli_hub_dev.parquet"),
        "test":  ("wnli/test.tsv", "WNLI/test.tsv", "wnli_hub_test.parquet"),
    },
    "dpr": {
        "all":   ("dpr_data.txt", "dpr_reconstructed.tsv"),
        "train": ("dpr_data.txt", "dpr_reconstructed.tsv"),
        "dev":   ("dpr_data.txt", "dpr_reconstructed.tsv"),
        "test":  ("dpr_data.txt", "dpr_reconstructed.tsv"),
    },
    "spr": {
        "all":   ("sprl_data.txt",),
        "train": ("sprl_data.txt",),
        "dev":   ("sprl_data.txt",),
        "test":  ("sprl_data.txt",),
    },
    "fn_plus": {
        "all":   ("fnplus_data.txt",),
        "train": ("fnplus_data.txt",),
        "dev":   ("fnplus_data.txt",),
        "test":  ("fnplus_data.txt",),
    },
    "snli_hard": {
        "test": ("snli_1.0_test_hard.jsonl", "snli_1.0_test_hard.txt"),
    },
    "multinli_hard": {
        "test_matched":    ("multinli_0.9_test_matched_unlabeled_hard.jsonl",),
        "test_mismatched": ("multinli_0.9_test_mismatched_unlabeled_hard.jsonl",),
    },
    "multinli_annotated": {
        "matched":    ("multinli_1.0_matched_annotations.txt", "multinli_0.9_matched_annotations.txt"),
        "mismatched": ("multinli_1.0_mismatched_annotations.txt", "multinli_0.9_mismatched_annotations.txt"),
    },
    "hans": {
        "train": ("heuristics_train_set.txt", "hans_hub_train.parquet"),
        "test":  ("heuristics_evaluation_set.txt", "hans_hub_dev.parquet"),
    },
    "naik_stress": {
        "antonymy_matched":            ("multinli_0.9_antonym_matched.jsonl",),
        "antonymy_mismatched":         ("multinli_0.9_antonym_mismatched.jsonl",),
        "numerical_reasoning":         ("multinli_0.9_quant_hard.jsonl",),
        "word_overlap_matched":        ("multinli_0.9_taut2_matched.jsonl",),
        "word_overlap_mismatched":     ("multinli_0.9_taut2_mismatched.jsonl",),
        "negation_matched":            ("multinli_0.9_negation_matched.jsonl",),
        "negation_mismatched":         ("multinli_0.9_negation_mismatched.jsonl",),
        "length_mismatch_matched":     ("multinli_0.9_length_mismatch_matched.jsonl",),
        "length_mismatch_mismatched":  ("multinli_0.9_length_mismatch_mismatched.jsonl",),
        "content_word_matched":     ("multinli_0.9_dev_gram_contentword_swap_perturbed_matched.jsonl",),
        "content_word_mismatched":  ("multinli_0.9_dev_gram_contentword_swap_perturbed_mismatched.jsonl",),
        "function_word_matched":    ("multinli_0.9_dev_gram_functionword_swap_perturbed_matched.jsonl",),
        "function_word_mismatched": ("multinli_0.9_dev_gram_functionword_swap_perturbed_mismatched.jsonl",),
        "keyboard_matched":         ("multinli_0.9_dev_gram_keyboard_matched.jsonl",),
        "keyboard_mismatched":      ("multinli_0.9_dev_gram_keyboard_mismatched.jsonl",),
        "swap_matched":             ("multinli_0.9_dev_gram_swap_matched.jsonl",),
        "swap_mismatched":          ("multinli_0.9_dev_gram_swap_mismatched.jsonl",),
    },
    "breaking_nli": {
        "test": ("breaking_nli/dataset.jsonl", "breaking_nli_dataset/data/dataset.jsonl"),
    },
    "conjnli": {
        "train": ("adversarial_train_15k.tsv",),
        "dev":   ("conj_dev.tsv",),
        "test":  ("conj_test.tsv",),
    },
    "monli": {
        "positive": ("pmonli.jsonl",),
        "negative": ("nmonli.jsonl",),
    },
    "med": {
        "test": ("MED.tsv",),
    },
    "fracas": {
        "test": ("fracas.xml",),
    },
    "anli": {
        "r1_train": ("anli/R1_train.jsonl", "R1/train.jsonl", "anli_hub_r1_train.parquet"),
        "r1_dev":   ("anli/R1_dev.jsonl", "R1/dev.jsonl", "anli_hub_r1_dev.parquet"),
        "r1_test":  ("anli/R1_test.jsonl", "R1/test.jsonl", "anli_hub_r1_test.parquet"),
        "r2_train": ("anli/R2_train.jsonl", "R2/train.jsonl", "anli_hub_r2_train.parquet"),
        "r2_dev":   ("anli/R2_dev.jsonl", "R2/dev.jsonl", "anli_hub_r2_dev.parquet"),
        "r2_test":  ("anli/R2_test.jsonl", "R2/test.jsonl", "anli_hub_r2_test.parquet"),
        "r3_train": ("anli/R3_train.jsonl", "R3/train.jsonl", "anli_hub_r3_train.parquet"),
        "r3_dev":   ("anli/R3_dev.jsonl", "R3/dev.jsonl", "anli_hub_r3_dev.parquet"),
        "r3_test":  ("anli/R3_test.jsonl", "R3/test.jsonl", "anli_hub_r3_test.parquet"),
    },
    "wanli": {
        "train": ("wanli/train.jsonl", "wanli_hub_train.parquet"),
        "test":  ("wanli/test.jsonl", "wanli_hub_test.parquet"),
    },
    "cad_nli": {
        "original_train":           ("cad_original_train.tsv", "NLI/original/train.tsv"),
        "original_dev":             ("cad_original_dev.tsv", "NLI/original/dev.tsv"),
        "original_test":            ("cad_original_test.tsv", "NLI/original/test.tsv"),
        "revised_premise_train":    ("cad_revised_premise_train.tsv", "NLI/revised_premise/train.tsv"),
        "revised_premise_dev":      ("cad_revised_premise_dev.tsv", "NLI/revised_premise/dev.tsv"),
        "revised_premise_test":     ("cad_revised_premise_test.tsv", "NLI/revised_premise/test.tsv"),
        "revised_hypothesis_train": ("cad_revised_hypothesis_train.tsv", "NLI/revised_hypothesis/train.tsv"),
        "revised_hypothesis_dev":   ("cad_revised_hypothesis_dev.tsv", "NLI/revised_hypothesis/dev.tsv"),
        "revised_hypothesis_test":  ("cad_revised_hypothesis_test.tsv", "NLI/revised_hypothesis/test.tsv"),
        "revised_combined_train":   ("cad_revised_combined_train.tsv", "NLI/revised_combined/train.tsv"),
        "revised_combined_dev":     ("cad_revised_combined_dev.tsv", "NLI/revised_combined/dev.tsv"),
        "revised_combined_test":    ("cad_revised_combined_test.tsv", "NLI/revised_combined/test.tsv"),
        "all_combined_train":       ("cad_all_combined_train.tsv", "NLI/all_combined/train.tsv"),
        "all_combined_dev":         ("cad_all_combined_dev.tsv", "NLI/all_combined/dev.tsv"),
        "all_combined_test":        ("cad_all_combined_test.tsv", "NLI/all_combined/test.tsv"),
    },
    "chaosnli": {
        "snli":   ("chaosNLI_snli.jsonl",),
        "mnli_m": ("chaosNLI_mnli_m.jsonl",),
    },
    "aggrefact": {
        "dev":  ("aggrefact_dev.parquet", "LLM-AggreFact/data/dev-00000-of-00001.parquet",
                 "aggrefact_dev.csv", "aggrefact_dev.jsonl"),
        "test": ("aggrefact_test.parquet", "LLM-AggreFact/data/test-00000-of-00001.parquet",
                 "aggrefact_test.csv", "aggrefact_test.jsonl"),
    },
    "true": {
        "frank":      ("frank_valid_download.csv",),
        "summeval":   ("summeval_download.csv",),
        "mnbm":       ("mnbm_download.csv",),
        "qags_cnndm": ("qags_cnndm_download.csv",),
        "qags_xsum":  ("qags_xsum_download.csv",),
        "begin":      ("begin_dev_download.csv",),
        "q2":         ("q2_download.csv",),
        "dialfact":   ("dialfact_valid_download.csv",),
        "fever":      ("fever_dev_download.csv",),
        "vitc":       ("vitc_dev_download.csv",),
        "paws":       ("paws_download.csv",),
    },
    "summac": {
        "all":  ("summac_benchmark.jsonl",),
        "dev":  ("summac_val.jsonl", "summac_benchmark.jsonl"),
        "test": ("summac_test.jsonl", "summac_benchmark.jsonl"),
    },
    BUILTIN: {
        "demo":          ("demo.jsonl",),
        "word_problems": ("word_problems.jsonl",),
    },
}

CORPUS_ALIASES: Final[dict[str, str]] = {
    "mnli": "multinli", "multi_nli": "multinli", "aqua_rat": "aqua",
    "sci_tail": "scitail", "ax": "diagnostic", "ax-b": "diagnostic", "glue_diagnostic": "diagnostic",
    "add-1": "add_one", "add1": "add_one", "add-one": "add_one", "add_one_rte": "add_one",
    "commitmentbank": "cb", "commitment_bank": "cb",
    "sprl": "spr", "fnplus": "fn_plus", "fn-plus": "fn_plus",
    "snli-hard": "snli_hard", "multinli-hard": "multinli_hard", "mnli_hard": "multinli_hard",
    "breaking-nli": "breaking_nli", "breakingnli": "breaking_nli", "chaos_nli": "chaosnli",
    "chaos-nli": "chaosnli", "naik-stress": "naik_stress", "nli_stress_test": "naik_stress",
    "conj_nli": "conjnli", "cad-nli": "cad_nli", "cad": "cad_nli",
    "llm-aggrefact": "aggrefact", "llm_aggrefact": "aggrefact",
}
SPLIT_ALIASES: Final[dict[str, str]] = {
    "validation": "dev", "valid": "dev", "val": "dev", "development": "dev",
    "matched": "dev_matched", "validation_matched": "dev_matched",
    "mismatched": "dev_mismatched", "validation_mismatched": "dev_mismatched",
    "trial": "dev", "evaluation": "test", "pmonli": "positive", "nmonli": "negative", "mnli": "mnli_m",
}
# fmt: on

#: What each corpus is; its licence, citation and sizes are in ``catalog.toml``.
CORPORA: Final[dict[str, str]] = {
    "snli": "SNLI 1.0, the official files: captions, with parses",
    "multinli": "MultiNLI 1.0, the official files: ten genres, with parses",
    "aqua": "AQuA-RAT: algebra word problems with rationales",
    "snli-hub": "SNLI, the hub's Parquet copy: text and label only",
    "multinli-hub": "MultiNLI, the hub's Parquet copy: with genre and parses",
    "sick": "SICK: captions and altered captions, judged for entailment (SemEval 2014)",
    "joci": "JOCI: how likely the hypothesis is, from 1 to 5; part B",
    "scitail": "SciTail: science questions as hypotheses, web sentences as premises",
    "mpe": "MPE: the premise is four captions of one picture",
    "diagnostic": "GLUE's diagnostic set: phenomena in four groups",
    "add_one": "Add-1 RTE: an adjective is inserted",
    "cb": "CommitmentBank: whether a speaker is committed to an embedded clause",
    "rte": "GLUE's RTE: the PASCAL challenges 1, 2, 3 and 5",
    "wnli": "GLUE's WNLI: Winograd schemas with the pronoun replaced",
    "dpr": "DPR: recast definite pronoun resolution",
    "spr": "SPR: recast semantic proto-roles",
    "fn_plus": "FN+: recast FrameNet paraphrases",
    "snli_hard": "SNLI-hard: pairs that a hypothesis-only model misclassifies",
    "multinli_hard": "MultiNLI-hard: the same for MultiNLI; labels withheld",
    "multinli_annotated": "MultiNLI dev pairs tagged by hand: antonyms, modals, coreference ...",
    "hans": "HANS: lexical overlap, subsequence, constituent",
    "naik_stress": "the stress tests that Naik et al. released, over MultiNLI dev and AQuA-RAT",
    "breaking_nli": "Breaking NLI: SNLI premises with one word replaced",
    "conjnli": "ConjNLI: and, or, but, nor; labels of test withheld",
    "monli": "MoNLI: hypernyms, with and without negation",
    "med": "MED: monotonicity, upward and downward",
    "fracas": "FraCaS: the problems of Cooper et al. (1996)",
    "anli": "ANLI: adversarially collected in three rounds",
    "wanli": "WANLI: generated by a model, labelled and revised by people",
    "cad_nli": "CAD-NLI: SNLI pairs revised by people to change the label",
    "chaosnli": "ChaosNLI: pairs of SNLI and MultiNLI dev with 100 labels each",
    "aggrefact": "LLM-AggreFact: claims of language models, and documents that support them or not",
    "true": "TRUE: eleven data sets of whether a text is consistent with its source",
    "summac": "SummaC: six data sets of whether a summary is consistent with its document",
    BUILTIN: "shipped with Crossexam: pairs (demo) and word problems",
}
