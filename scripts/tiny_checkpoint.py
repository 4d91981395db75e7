"""An untrained BERT of one small layer with its tokenizer, for scripts that need a checkpoint on the disk."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def write_checkpoint(folder: Path, words: Iterable[str]) -> None:
    """Write the checkpoint, whose vocabulary are *words*, to *folder*: the same bytes every time."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    vocabulary = {word: n for n, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=64, pad_token="[PAD]", unk_token="[UNK]"
    )
    torch.manual_seed(1)
    labels = dict(enumerate(("entailment", "neutral", "contradiction")))
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        id2label=labels,
        label2id={label: n for n, label in labels.items()},
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
