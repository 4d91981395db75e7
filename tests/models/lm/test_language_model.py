"""Local language models and verifiers of claims: scores, checkpoints, refusals, runs."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lm_golden
import numpy as np
import pytest
import torch
import transformers
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from scipy.special import softmax
from transformers import AutoConfig, AutoModelForSeq2SeqLM, AutoTokenizer

from crossexam.core.test_sets import write_test_set
from crossexam.models.lm.known import KNOWN_CHECKPOINTS
from crossexam.models.prompts.table import template, templates
from crossexam.models.table import open_model
from made.cases import refused
from made.checkpoints import save_tiny
from made.commands import invoke
from made.runs import dataset

PAIRS = lm_golden.PAIRS[:4]


@pytest.fixture
def gpt2(lm_folders: Any) -> str:
    return f"lm/{lm_folders['gpt2']}"


def _answered(
    name: object, template: str | None = None, pairs: Sequence[tuple[str, str]] = PAIRS, **options: Any
) -> tuple[NDArray[np.float64], Sequence[Any]]:
    """Return the probabilities and the outcomes of *pairs*."""
    found = open_model(name, {"device": "cpu", "template": template, **options}).answered(pairs)
    return found.probabilities, found.outcomes


def _direct(folder: Path, prompt: str, labels: Sequence[str], *, special: bool = True) -> list[list[float]]:
    """Return the log-probabilities of the tokens of *labels* after *prompt*, by one forward per label.

    The tokenizer adds its *special* tokens, unless they are in the text.
    """
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    context = tokenizer(prompt.rstrip(), add_special_tokens=special)["input_ids"]
    found = []
    for label in labels:
        whole = tokenizer(prompt + label, add_special_tokens=special)["input_ids"]
        with torch.no_grad():
            table = model(input_ids=torch.tensor([whole])).logits[0].log_softmax(-1)
        found.append([float(table[k - 1, whole[k]]) for k in range(len(context), len(whole))])
    return found


def test_the_scores_are_what_their_names_say(lm_folders: Any, gpt2: str) -> None:
    made = template("flan-mnli-0")
    labels = [f" {form}" for form in made.labels.values()]
    tokens = _direct(lm_folders["gpt2"], made.prompt(*PAIRS[0]), labels)
    without = _direct(lm_folders["gpt2"], made.prompt("", ""), labels)
    expected = {
        "sum": [sum(each) for each in tokens],
        "mean": [sum(each) / len(each) for each in tokens],
        "pmi": [sum(each) - sum(other) for each, other in zip(tokens, without, strict=True)],
        "first": [each[0] for each in tokens],
    }
    for score, values in expected.items():
        table, outcomes = _answered(gpt2, made.name, score=score)
        np.testing.assert_allclose(table[0], softmax(values), atol=1e-5, err_msg=score)
        kept = outcomes[0].detail["first_token" if score == "first" else "log_likelihood"]
        exact = expected["first" if score == "first" else "sum"]
        assert list(kept.values()) == pytest.approx(exact, rel=1e-5), score
        assert outcomes[0].label_mass == pytest.approx(sum(map(np.exp, exact)), rel=1e-4), score


def test_pmi_with_the_hypothesis_in_the_labels_subtracts_that_of_each_pair(
    lm_folders: dict[str, Path], gpt2: str
) -> None:
    made = template("lighteval-cf")
    table, outcomes = _answered(gpt2, made.name, score="pmi")
    for probabilities, row, pair in zip(table, outcomes, PAIRS, strict=True):
        labels = [f" {form}" for form in made.forms(*pair).values()]
        without = [sum(each) for each in _direct(lm_folders["gpt2"], made.prompt("", ""), labels)]
        assert list(row.detail["without_pair"].values()) == pytest.approx(without, rel=1e-5)
        subtracted = np.subtract(list(row.detail["log_likelihood"].values()), without)
        np.testing.assert_allclose(probabilities, softmax(subtracted), atol=1e-5)


def test_a_prompt_that_does_not_fit_has_no_answer(gpt2: str, lm_folders: Any) -> None:
    """It is not truncated, and the answers to the others are as without it."""
    long = ("many words " * 150, "Words.")
    alone, _ = _answered(gpt2, "gpt3")
    table, outcomes = _answered(gpt2, "gpt3", [long, *PAIRS])
    np.testing.assert_allclose(table[1:], alone, atol=1e-6)
    assert [outcome.status for outcome in outcomes] == ["too_long"] + ["answered"] * 4
    # The last token of a label is only predicted, so that it may lie beyond the last position.
    pair = ("word " * 30, "h")
    _, (outcome,) = _answered(gpt2, "gpt3", [pair], max_length=8)
    length = outcome.detail["tokens"]
    for most, status in ((length, "answered"), (length - 1, "too_long")):
        _, (outcome,) = _answered(gpt2, "gpt3", [pair], max_length=most)
        assert outcome.status == status
    more_than_trained_with = [("word " * 700, "Words.")]
    _, (outcome,) = _answered(f"lm/{lm_folders['t5']}", "true", more_than_trained_with, max_length=4_096)
    assert outcome.status == "answered"


def test_minicheck_flan_t5_is_the_softmax_of_two_tokens_of_the_first_step(lm_folders: Any) -> None:
    """As in inference.py of MiniCheck: tokens 3 and 209 after the start of the decoder."""
    folder = lm_folders["t5"]
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForSeq2SeqLM.from_pretrained(folder)
    text = "predict: " + tokenizer.eos_token.join(PAIRS[0])
    with torch.no_grad():
        logits = model(
            **tokenizer(text, return_tensors="pt"), decoder_input_ids=torch.zeros((1, 1), dtype=torch.long)
        ).logits[0, 0]
    supported = torch.softmax(logits[[3, 209]], dim=-1)[1].item()
    table, outcomes = _answered(f"lm/{folder}", "minicheck-ft5")
    assert table[0, 0] == pytest.approx(supported, abs=1e-6)
    mass = torch.softmax(logits, dim=-1)[[3, 209]].sum().item()
    assert outcomes[0].label_mass == pytest.approx(mass, rel=1e-4)


def test_hhem_is_run_without_its_code_and_missing_weights_are_refused(
    lm_folders: dict[str, Path], tmp_path: Path
) -> None:
    """A tiny model has the names of HHEM-2.1-open."""
    t5, path = lm_folders["t5"], tmp_path / "model.safetensors"
    direct = transformers.T5ForTokenClassification(AutoConfig.from_pretrained(t5, num_labels=2)).eval()
    torch.manual_seed(5)
    for each in direct.parameters():
        torch.nn.init.normal_(each, std=0.3)
    weights = {f"t5.{name}": each.data for name, each in direct.named_parameters()}
    save_file(weights, path)
    config = {"architectures": ["HHEMv2ForSequenceClassification"], "model_type": "HHEMv2Config"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    options = {"template": "hhem", "foundation": str(t5)}
    table, _ = _answered(f"lm/{tmp_path}", **options)
    prompt = (
        "<pad> Determine if the hypothesis is true given the premise?\n\n"
        f"Premise: {PAIRS[0][0]}\n\nHypothesis: {PAIRS[0][1]}"
    )
    with torch.no_grad():
        logits = direct(**AutoTokenizer.from_pretrained(t5)(prompt, return_tensors="pt")).logits[0, 0]
    assert table[0, 0] == pytest.approx(torch.softmax(logits, -1)[1].item(), abs=1e-6)
    del weights["t5.classifier.weight"]
    save_file(weights, path)
    assert "lacks 1 weights of the model (cl" in refused(_answered, f"lm/{tmp_path}", **options)
    lacking = shutil.copytree(t5, tmp_path / "t5")
    weights = load_file(lacking / "model.safetensors")
    del weights["encoder.block.0.layer.0.SelfAttention.q.weight"]
    save_file(weights, lacking / "model.safetensors", {"format": "pt"})
    assert "lacks 1 weights of the model (encoder" in refused(_answered, f"lm/{lacking}")


def test_minicheck_encoders_read_one_text(tiny_checkpoint: Path, tmp_path: Path) -> None:
    """As in inference.py of MiniCheck: document and claim joined by the separator, class 1 is supported."""
    tokenizer = AutoTokenizer.from_pretrained(tiny_checkpoint)
    save_tiny(tmp_path, tokenizer, labels=2)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(tmp_path).eval()
    table, _ = _answered(f"lm/{tmp_path}", "minicheck-deberta")
    with torch.no_grad():
        encoded = tokenizer("[SEP]".join(PAIRS[0]), return_tensors="pt")
        logits = model(input_ids=encoded["input_ids"], attention_mask=encoded["attention_mask"]).logits[0]
    assert table[0, 0] == pytest.approx(torch.softmax(logits, -1)[1].item(), abs=1e-6)
    three = refused(_answered, f"lm/{tiny_checkpoint}", "minicheck-deberta")
    assert "has 3 classes, the template minicheck-deberta names 2" in three


def test_a_chat_template_may_refuse_a_system_message(lm_folders: Any, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(lm_folders["llama"], tmp_path / "llama"))
    text = (folder / "chat_template.jinja").read_text(encoding="utf-8")
    refuses = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    (folder / "chat_template.jinja").write_text(refuses + text, encoding="utf-8")
    merged, _ = _answered(f"lm/{folder}", "words")
    made = template("words")
    prompt = f"<s>[user] {made.system}\n\n{made.messages(*PAIRS[0])[1]['content']}\n[assistant] "
    tokens = _direct(folder, prompt, list(made.labels.values()), special=False)
    np.testing.assert_allclose(merged[0], softmax([sum(each) for each in tokens]), atol=1e-5)


def test_what_does_not_go_together_is_refused(gpt2: str, tmp_path: Path, each_case: Any) -> None:
    alike = tmp_path / "alike.toml"
    alike.write_text("like = 'words'\nlabels = {entailment='a b', neutral='a c', contradiction='d'}")

    def check(name: str, values: dict[str, Any], said: str) -> None:
        assert said in refused(_answered, name.replace("gpt2", gpt2), **values)

    each_case(check)
    check("gpt2", {"template": str(alike), "score": "first"}, "begin with the same token")


def test_several_templates_are_a_run_each(gpt2: str, tmp_path: Path) -> None:
    suite, output = tmp_path / "pairs.parquet", tmp_path / "several"
    write_test_set(suite, dataset("pairs", "EC").examples)
    invoke(f"run {gpt2} {suite} -o {output} --template gpt3,lighteval-cf --device cpu")
    assert sorted(path.name for path in output.iterdir()) == ["gpt3", "lighteval-cf"]


def test_known_checkpoints_have_their_templates() -> None:
    assert {each.template for each in KNOWN_CHECKPOINTS} <= set(templates())
