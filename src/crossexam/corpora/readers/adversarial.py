"""Readers of adversarial, generated, revised and relabelled corpora: ANLI, WANLI, CAD-NLI, ChaosNLI."""

from __future__ import annotations

from crossexam.core.errors import FormatError
from crossexam.core.labels import parse_label
from crossexam.corpora.readers.reader import pair
from crossexam.corpora.records import Row


def anli(row: Row) -> Row:
    """Read ANLI (Nie et al. 2020): the official JSON lines (context; e, n, c), or the hub's copy."""
    premise = row["context"] if "context" in row else row["premise"]
    return pair(
        premise,
        row["hypothesis"],
        row["label"],
        name=row["uid"],
        genre=row.get("genre"),
        reason=row.get("reason"),
    )


def wanli(row: Row) -> Row:
    """Read WANLI (Liu et al. 2022): genre is generated or generated_revised; pairID is the seed example's."""
    return pair(
        row["premise"], row["hypothesis"], row["gold"], name=row["id"], genre=row["genre"], seed=row["pairID"]
    )


def cad_nli(row: Row) -> Row:
    """Read CAD-NLI (Kaushik et al. 2020): pairs of SNLI, and revisions by people that change the label.

    The revisions of a pair are adjacent in the file and form one cluster.
    """
    cluster = f"cad_nli {row['group']}" if "group" in row else None
    return pair(row["sentence1"], row["sentence2"], row["gold_label"], cluster=cluster)


def chaosnli(row: Row) -> Row:
    """Read ChaosNLI (Nie et al. 2020b): the majority of 100 new labels is the gold label.

    ``label_distribution`` has the proportions of entailment, neutral and contradiction among them, ``votes``
    their counts; ``old_label`` is the gold label of SNLI or MultiNLI.
    """
    votes = [int(count) for count in row["label_count"]]
    if len(votes) != 3 or sum(votes) <= 0:
        raise FormatError(
            f"{votes} are not vote counts", where="field 'label_count'", wanted="three counts, not all 0"
        )
    if "premise" not in row["example"]:
        raise FormatError(
            "not a premise-hypothesis pair (abductive NLI has two hypotheses)", wanted="premise, hypothesis"
        )
    return pair(
        row["example"]["premise"],
        row["example"]["hypothesis"],
        row["majority_label"],
        name=row["uid"],
        label_distribution=[count / sum(votes) for count in votes],
        votes=votes,
        entropy=row["entropy"],
        old_label=parse_label(row["old_label"], where="field 'old_label'"),
        annotator_labels=row.get("old_labels"),
    )
