"""Write tests/golden/lm_eval.json: what lm-eval 0.4.13 computes with tiny models that the tests make too.

    pip install lm-eval==0.4.13
    python scripts/lm_golden.py

The models have random weights from numpy and tokenizers trained on the built-in corpus, so that they are the
same everywhere.  ``tests/models/lm/test_scoring.py`` compares ``lm/`` with the file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from crossexam.corpora.spec import iter_corpus
from crossexam.models.prompts.table import template, templates
from crossexam.models.prompts.template import Template

GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "lm_eval.json"
#: Labels of one token and of several, of the same and of different beginnings, and with the hypothesis.
TEMPLATES = ("gpt3", "words", "flan-mnli-0", "lighteval-cf", "p3-always-sometimes-never", "blanks", "true")
PAIRS = [
    ("A man is playing a guitar on the stage.", "A man is playing an instrument."),
    ("It is raining heavily in the city.", "The city is dry."),
    ("Zwei Kinder essen Äpfel – 東京で。", "Naïve café 🎸 ?"),
    ("Rain", "A very long hypothesis, with many more words than its premise, is also here."),
    ("<s>The text begins like a special token.", ""),
    ("", "It rains."),
]
#: How the names of templates begin that are newer than the file: with their texts, the tokenizers of the
#: models would be others than those whose likelihoods it has.
LATER = ("words.two",)
#: A prompt that ends with a blank, which lm-eval moves to the label.
BLANKS = Template(
    "blanks",
    "{premise}\nSo: {hypothesis} Right? ",
    {"entailment": "Yes indeed", "neutral": "Maybe", "contradiction": "No"},
    delimiter="",
)
CHAT = (
    "{{ bos_token }}{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant] {% endif %}"
)


def template_of(name: str) -> Template:
    """Return the template of the golden file called *name*."""
    return BLANKS if name == "blanks" else template(name)


def gpt2(folder: Path, **changes: Any) -> Path:
    """Save a tiny GPT-2 with tokens of bytes, and no special token around a text."""
    from transformers import GPT2Config, GPT2LMHeadModel

    tokenizer = _tokenizer("bytes", None)
    sizes = {"vocab_size": len(tokenizer), "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 256}
    config = GPT2Config(bos_token_id=1, eos_token_id=1, **{**sizes, **changes})
    return _saved(folder, tokenizer, GPT2LMHeadModel(config))


def llama(folder: Path, **changes: Any) -> Path:
    """Save a tiny Llama with tokens of words, a token before each text, and a chat template."""
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = _tokenizer("words", "<s> $A")
    tokenizer.chat_template = CHAT
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        num_key_value_heads=2,
        max_position_embeddings=256,
        bos_token_id=1,
        eos_token_id=2,
        **{**sizes, **changes},
    )
    return _saved(folder, tokenizer, LlamaForCausalLM(config))


def t5(folder: Path, **changes: Any) -> Path:
    """Save a tiny T5 with tokens of words and a token after each text."""
    from transformers import T5ForConditionalGeneration

    tokenizer = _tokenizer("words", "$A </s>")
    return _saved(folder, tokenizer, T5ForConditionalGeneration(t5_config(tokenizer, **changes)))


def t5_config(tokenizer: Any, **changes: Any) -> Any:
    """Return the configuration of a tiny T5."""
    from transformers import T5Config

    sizes = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4, **changes}
    return T5Config(
        vocab_size=len(tokenizer), decoder_start_token_id=0, pad_token_id=0, eos_token_id=2, **sizes
    )


MODELS: Mapping[str, Callable[[Path], Path]] = {"gpt2": gpt2, "llama": llama, "t5": t5}


def _tokenizer(units: str, around: str | None) -> Any:
    """Return a tokenizer of *units* trained on the built-in corpus and the templates."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special = ["<pad>", "<s>", "</s>", "<unk>"]
    if units == "bytes":
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
    else:
        made = Tokenizer(models.BPE(unk_token="<unk>"))
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        made.decoder = decoders.Metaspace()
        alphabet = []
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=special, initial_alphabet=alphabet)
    made.train_from_iterator(_texts(), trainer)
    if around:
        made.post_processor = processors.TemplateProcessing(
            single=around, special_tokens=[("<s>", 1), ("</s>", 2)]
        )
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        model_max_length=512,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        **({} if around == "$A </s>" else {"bos_token": "<s>"}),
    )


def _texts() -> Iterator[str]:
    for example in iter_corpus("builtin:demo"):
        yield f"{example.premise} {example.hypothesis}"
    for name, each in templates().items():
        if not name.startswith(LATER):
            yield each.prompt("", "")
            yield " ".join(each.forms("", "").values())


def _saved(folder: Path, tokenizer: Any, model: Any) -> Path:
    """Save *model* with weights from numpy, which are the same on every machine."""
    random = np.random.default_rng(11)
    for name, weights in sorted(model.named_parameters()):
        values = random.normal(0.0, 0.2, size=tuple(weights.shape))
        weights.data[:] = weights.new_tensor(values + (1.0 if "norm" in name or "ln_" in name else 0.0))
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    return folder


def requests_of(model: Any, name: str, *, chat: bool = False) -> list[list[tuple[str, str]]]:
    """Return the contexts and continuations about which lm-eval is asked, by pair, as its tasks make them."""
    made = template_of(name)
    asked = []
    for pair in PAIRS:
        context = model.apply_chat_template(made.messages(*pair)) if chat else made.prompt(*pair)
        delimiter = "" if chat else made.delimiter
        asked.append([(context, f"{delimiter}{form}") for form in made.forms(*pair).values()])
    return asked


def likelihoods(folder: Path, *, chat: bool = False, names: Sequence[str] = TEMPLATES) -> dict[str, Any]:
    """Return lm-eval's log-likelihoods by template: per pair those of the labels, in the template's order."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model = HFLM(pretrained=str(folder), device="cpu", batch_size=4, dtype="float32")
    found = {}
    for name in names:
        asked = requests_of(model, name, chat=chat)
        instances = [
            Instance(request_type="loglikelihood", doc={}, arguments=request, idx=k, metadata=("", 0, 1))
            for of_pair in asked
            for k, request in enumerate(of_pair)
        ]
        values = iter(value for value, _ in model.loglikelihood(instances, disable_tqdm=True))
        found[name] = [[round(next(values), 7) for _ in of_pair] for of_pair in asked]
    return found


def _lines(part: Mapping[str, Any]) -> str:
    return ",\n ".join(f"{json.dumps(name)}: {json.dumps(values)}" for name, values in part.items())


def main() -> None:
    """Write the golden file."""
    import lm_eval
    import torch
    import transformers

    versions = {each.__name__: each.__version__ for each in (lm_eval, torch, transformers)}
    found: dict[str, Any] = {"versions": versions}
    with TemporaryDirectory() as temporary:
        for name, make in MODELS.items():
            found[name] = likelihoods(make(Path(temporary) / name))
        found["llama, chat"] = likelihoods(Path(temporary) / "llama", chat=True, names=("gpt3", "words"))
    lines = [f'"{name}": {{\n {_lines(part)}\n}}' for name, part in found.items()]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    sys.stdout.write(f"{GOLDEN}\n")


if __name__ == "__main__":
    main()
