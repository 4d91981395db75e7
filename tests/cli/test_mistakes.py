"""Mistakes of users: each is one clear message and exit status 2, and leaves nothing behind.

``MISTAKES`` has commands and what goes into them: each with what the first line of its message says, and what
the others say, separated by ``|``.  All commands run in one folder (``mistakes`` of ``conftest.py``), which
has the files to make mistakes with, and which none of them may change.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

import crossexam as cx
from crossexam.cli import main
from crossexam.core.errors import CrossexamError

# fmt: off
MISTAKES: dict[str, dict[str, str]] = {
    "build negation --base {} -o out": {
        "nosuch.csv": "nosuch.csv: no such file | ls corpora",
        "~nosuchuser/a.csv": "~nosuchuser/a.csv: no such file",
        "empty.csv": "empty.csv: the file is empty | at least one record",
        "header.csv": "header.csv: the file has no records",
        "suite": "suite: is a folder | base.pairs.parquet",
        "pipe.csv": "pipe.csv: not a regular file | a file",
        "excel.csv": "an Excel workbook | as CSV (UTF-8)",
        "book.xlsx": "book.xlsx: the file is a workbook | as CSV",
        "paper.csv": "paper.csv: the file is a PDF | extract its text",
        "archive.csv": "archive.csv: the file is a zip archive | unpack",
        "packed.csv": "compressed (gzip) | gunzip FILE",
        "cut.csv.gz": "cut.csv.gz: the file is compressed | gunzip",
        "text.csv.gz": "not what its suffix '.gz' says | download",
        "utf16.csv": "utf16.csv: the file is UTF-16 text | iconv",
        "latin.csv": "latin.csv, line 2: byte 0xe9 at position 6",
        "array.json": "array.json: the file is a JSON array | jq -c",
        "cut.jsonl": "cut.jsonl, line 2: not JSON | one JSON object",
        "deep.jsonl": "deep.jsonl, line 1: not JSON: arrays or objects are nested too deeply",
        "digits.jsonl": "digits.jsonl, line 1: not JSON: a number has too many digits",
        "list.jsonl": "line 1, field 'premise': an array instead of a string",
        "number.jsonl": "field 'premise': a number instead of a string",
        "damaged.parquet": "damaged.parquet: the Parquet file is damaged",
        "xy.parquet": "no column for the premise | --columns | are: x, y",
        "twice.csv": "twice.csv, line 1: the header repeats | unique",
        "ragged.csv": "ragged.csv, line 14: 5 fields | 3 fields | quoted",
        "quote.csv": "quote.csv, line 2: malformed CSV",
        "nul.csv": "nul.csv, line 2, field 'premise': a NUL character",
        "blank.csv": "line 2, field 'premise': the text is empty",
        "numbers.csv":
            "the labels are numbers (6 with 0, 6 with 1) | --labels 0=not_entailment,1=entailment "
            "would give 6 not_entailment, 6 entailment",
        "yesno.csv": "field 'label': unknown label 'no' | --labels no=not_entailment,yes=entailment",
        "truth.csv": "field 'label': unknown label 'false' | --labels false=not_entailment,true=entailment",
        "mixed.csv": "both not_entailment and neutral | wanted: either",
        "misspelt.csv": "misspelt.csv, line 14, field 'label': unknown label 'contradicton' | contradicton 1",
        "misspelt.csv --skip-bad": "1 of 13 records are malformed | --allow-loss",
        "yesno.csv --labels yes=entails,no=nein": "'nein' is not a label | - for no gold",
        "yesno.csv --labels yes:entailment": "does not say what a label means | as in yes=entailment",
        "yesno.csv --labels yes=entailment": "unknown label 'no'",
        "builtin:demo --labels e=entailment": "the labels of 'builtin' are known | no --labels",
        "other.csv --columns premise=text_a,hypothesis=textb":
            "other.csv, header: no column 'textb' for 'hypothesis' | did you mean 'text_b'?",
        "other.csv --columns premise": "'premise' does not name a column | ROLE=COLUMN",
        "snli": "'snli' does not say which split | snli:dev",
        "snli:tset": "no split of snli is called 'tset' | available: train, dev, test",
        "snil:dev": "no corpus is called 'snil' | did you mean 'snli'?",
        "snli:dev": "snli:dev is not installed | crossexam fetch snli",
        "pairs.csv[::0]": "the step of the slice is 0 | as in [::2]",
        "pairs.csv[5:": "the closing bracket ']' of the slice is missing",
        "pairs.csv[a:b]": "'[a:b]' is not a slice | [start:stop]",
        "pairs.csv[100:]": "pairs.csv[100:] has no examples with a gold label | at least one",
        "pairs.csv@1.5": "the share is 1.5 | less than 1",
    },
    "build negation --base pairs.csv {} -o out": {
        "--base pairs.csv": "two bases are called 'pairs' | rename",
        "--limit 0": "Invalid value for '--limit' | equal to 1",
        "--seed text": "Invalid value for '--seed' | integer",
        "--format csv": "'csv' is not a format | --format parquet",
        "--set negation.clause=x": "no option of negation is called 'clause' | available: rules",
        "--set antonymy": "'antonymy' is not a valid value for --set | NAME.OPTION=VALUE | ls options",
        "--set antonymy.rules=paper": "'negation' does not use 'antonymy' | ls options",
        "--tagger spaci:en": "no tagger is called 'spaci' | 'spacy'",
        "--parser corenlp": "no parser is called 'corenlp' | parses",
        "--entities list": "is called 'list' | did you mean 'lists'?",
    },
    "build antonymy --base pairs.csv {} -o out": {
        "--set antonymy.rule=paper": "no option of antonymy is called 'rule' | did you mean 'rules'?",
        "--set antonymy.rules=theirs": "cannot be 'theirs' | ours, paper",
        "--set antonymy.rules=released --set antonymy.indirect=true":
            "script uses neither indirect antonyms nor a corpus | rules=paper",
    },
    "build {} -o out": {
        "negation": "negation needs a base corpus | --base CORPUS:SPLIT",
        "negaton --base pairs.csv": "no suite or construction is called 'negaton' | did you mean 'negation'?",
        "fact-checking --only tru": "no benchmark of fact checking is called 'tru' | did you mean 'true'?",
        "fact-checking --only true --split dev": "TRUE has no split 'dev' | wanted: test",
        "fact-checking --base true --only true": "'fact-checking.only' is set twice | each option once",
        "negation --base pairs.csv --only true": "'negation' has no option --only | fact-checking",
        "cross-dataset --labels yes=entailment":
            "corpora of cross-dataset have names and known formats | --add FILE or --reference FILE",
        "cross-dataset --add builtin:demo --columns premise=a": "nothing is read with --columns | --add FILE",
        "challenge --labels yes=entailment --skip-bad":
            "nothing is read with --labels and --skip-bad | challenge without",
        "cross-dataset --base nosuch": "no corpus of the cross-dataset benchmark | scitail",
        "negation --bse pairs.csv": "No such option: --bse | --base",
    },
    "run builtin/overlap corpus {} -o out": {
        "--batch-size 0": "--batch-size is '0' | auto or a whole number",
        "--chunk words": "'words' is not a size of chunks | words:N",
        "--chunk tokens:9": "no tokenizer | --chunk words:300",
        "--aggregate mean": "nothing to combine by 'mean' without chunks | --chunk words:500",
        "--like minichek": "no system is called 'minichek' | 'minicheck'",
        "--set hf.dtype=bfloat16": "none of the models is hf/ | builtin/",
        "--set hg.dtype=bfloat16": "no kind of model is called 'hg' | hf",
        "--threshold 0.5": "have no option 'threshold' | --threshold",
        "--template gpt3": "builtin/ models have no option 'template' | --template",
        "--template gpt3,gpt3": "--template is gpt3,gpt3 | different templates",
        "--template gpt3,x/GPT3.toml": "--template is gpt3,x/GPT3.toml | different templates",
        "--template gpt3,x/...toml": "--template is gpt3,x/...toml | different templates",
    },
    "run {} corpus -o out": {
        "builtn/overlap": "no kind of model is called 'builtn' | 'builtin/overlap'",
        "overlap": "no kind of model is called 'overlap' | 'builtin/overlap'",
        "roberta-large-mnli": "is called 'roberta-large-mnli' | hf/roberta-large-mnli",
        "builtin/overlop": "no built-in model is called 'overlop' | 'overlap'",
        "builtin/": "'builtin/' is not the name of a model | begins with builtin/",
        "mean/builtin/overlap": "an ensemble needs at least two models | mean/MODEL",
        "lm/pairs.csv": "lm/pairs.csv: this is a file | the folder of a checkpoint",
        "lm/./nosuch": "lm/./nosuch: no such folder | the folder of a checkpoint",
        "lm/hf_pickle": "lm/hf_pickle: no safetensors file; pickled weights are never read | writes",
        "lm/yzha/AlignScore": "published as a pickled checkpoint | py/MODULE:FUNCTION",
        "hf/pairs.csv": "hf/pairs.csv: this is a file | the folder of a checkpoint",
        "hf/./nosuch": "hf/./nosuch: no such folder | the folder of a checkpoint",
        "hf/emptydir": "hf/emptydir: config.json is missing | save_pretrained",
        "hf/hf_bare": "no safetensors file, so no weights | the whole checkpoint",
        "hf/hf_pickle": "pickled weights are never read | writes safetensors",
        "hf/hf_index": "the index of weights names 'weights.bin' | never read",
        "hf/hf_cut": "hf_cut/config.json: not JSON | the whole checkpoint",
        "hf/hf_pipe": "hf_pipe/config.json: not a regular file | a JSON file",
        "hf/hf_export": "an exported model (.onnx) | onnx/hf_export",
        "onnx/hf_export": "onnx/hf_export: tokenizer.json is missing | config.json, tokenizer.json",
        "onnx/emptydir": "onnx/emptydir: no .onnx file | the folder of an exported classifier",
        "hf/hf_label": "calls the classes LABEL_0 | --label-order",
        "hf/hf_five": "a head of 5 classes | two or three NLI classes",
        "hf/hf_one": "the checkpoint has one output | --threshold 0.5",
        "py/nosuch:f": "no module 'nosuch' in | py/module:function",
        "py/mymodel.py:few": "no module 'mymodel.py' | did you mean 'py/mymodel:few'?",
        "py/mymodel:fewer": "has no function 'fewer' | it has: failing, few",
        "py/mymodel": "'py/mymodel' is not the name of a function | py/module:function",
        "py/broken:f": 'importing the module raised SyntaxError | python -c "import broken"',
        "py/needy:f": "the module needs 'nosuchlibrary', which is not installed | environment",
        "py/leaving:f": "importing the module raised SystemExit: 3 (leaving.py, line 2)",
        "py/mymodel:failing": "raised KeyError: 'oops' (mymodel.py, line 3) | traceback",
        "py/mymodel:leaving": "raised SystemExit: 0 (mymodel.py, line 5) | traceback",
        "py/mymodel:few": "1 answers for 3 pairs | in the order of the pairs",
        "py/mymodel:none": "did not return a list or an array | a label, a mapping",
        "py/mymodel:mixing": "some answers are not_entailment, others are neutral",
        "py/mymodel:logits": "3 of 3 answers are not probabilities | a softmax",
        "py/mymodel:nan": "3 of 3 answers are not probabilities | finite",
        "py/mymodel:indices": "class indices, but nothing says what they mean | --labels 1=entailment,0=not",
        "py/mymodel:perhaps": "is 'perhaps', which is not a label | entailment or",
        "bow/model_cut": "changed by hand, or damaged, after it was written | train it again",
        "bow/model_list": "model_list/manifest.json: not a JSON object | train it again",
        "bow/suite": "does not contain a bag-of-words model | crossexam train bag-of-words",
        "zoo/emptydir": "zoo/emptydir: no trained model here | config.json",
        "file/nosuch.jsonl": "nosuch.jsonl: no such file | a file of predictions",
        "file/suite": "suite: this is a folder | a file of predictions",
        "file/empty.csv": "empty.csv: the file holds no predictions | at least one",
        "file/book.xlsx": "'.xlsx' is not a supported format | .csv, .json",
        "file/excel.csv": "excel.csv: the file is not UTF-8 text | CSV (UTF-8)",
        "file/cut.csv.gz": "'.gz' is not a supported format | .csv, .json",
        "file/deep.jsonl": "deep.jsonl, line 1: not JSON: arrays or objects | JSON object",
        "file/digits.jsonl": "line 1: not JSON: a number has too many | JSON object",
        "file/p_missing.jsonl": "3 of 12 items have no prediction | the file's first is",
        "file/p_extra.jsonl": "1 of 13 predictions are for items that are in none | 'zzz'",
        "file/p_two.jsonl": "two different predictions for | one prediction",
        "file/p_no_id.jsonl": "no column identifies the item | id, pairID or uid",
        "file/p_list_id.parquet": "p_list_id.parquet, row 1: 'id' is a list | text",
        "file/p_list_text.parquet": "row 1: 'premise' is a list | wanted: text",
        "file/p_labels.jsonl": "column 'label' is 'perhaps', which is not a label | --labels perhaps=LABEL",
        "file/p_numbers.jsonl": "the classes in 'label' have no names | --label-order",
        "file/p_logits.csv": "'1.0 2.0 3.0' in column 'logits' is not a list | [0.9, 0.1",
        "file/p_words.csv": "same number of finite numbers in 'entailment' | 0.9",
        "file/p_digits.jsonl": "same number of finite numbers in 'probabilities' | 0.9",
    },
    "run builtin/overlap {} -o out": {
        "nosuch": "nosuch: no such file or folder | crossexam build",
        "run": "this is the folder of a run, not of a suite | report reads runs",
        "pairs.csv": "'.csv' is not a file extension | build corpus --base",
        "emptydir": "manifest.json is missing | run `crossexam build` again",
        "suite_cut": "suite_cut/manifest.json: not JSON | --force",
    },
    "check {}": {
        "suite_empty": "suite_empty/manifest.json: not JSON: the file is empty | --force",
        "suite_list": "suite_list/manifest.json: not a JSON object | wanted: {...}",
        "suite_deep": "suite_deep/manifest.json: not JSON: arrays or objects are nested too deeply",
        "suite_digits": "suite_digits/manifest.json: not JSON: a number has too many digits",
        "suite_no_sets": "field 'test_sets' is missing | the manifest of a suite | --force",
        "suite_null": "test set 'base.pairs' does not name a file | field 'file' | --force",
        "suite_rows": "field 'rows' of test set 'base.pairs' is 'many' | a whole number",
        "suite_base": "field 'base_set' of test set 'base.pairs' is 7 | a string | --force",
        "suite_kept": "field 'keeps_label' of test set 'base.pairs' is 'maybe' | true or false",
        "suite_gone": "negation.pairs.parquet: the manifest lists test set | --force",
        "suite_changed": "its SHA-256 is not that of the manifest | was changed",
        "suite_half": "negation.pairs.parquet: the file was changed by hand, or damaged | SHA-256",
        "deep.jsonl": "deep.jsonl, line 1: not JSON: arrays or objects are nested too deeply",
        "digits.jsonl": "digits.jsonl, line 1: not JSON: a number has too many digits",
        "xy.parquet": "xy.parquet: no column 'id' | premise, hypothesis, label",
        "suite --base nosuch.csv": "nosuch.csv: no such file | a test set",
        "suite --base run": "run: this is a folder | a test set",
    },
    "report {}": {
        "nosuch": "nosuch: no such folder | crossexam run",
        "suite": "the folder of a suite, not of a run | crossexam run MODEL suite -o RUN",
        "emptydir": "there is no manifest.json | repeat `crossexam run`",
        "run_cut": "run_cut/manifest.json: not JSON | repeat `crossexam run` with --force",
        "run_null": "the entry of test set 'base.pairs' is damaged | --force",
        "run_no_rows": "the entry of test set 'base.pairs' is damaged | number of rows | --force",
        "run_base": "'base.pairs' is damaged: field 'base_set' | --force",
        "run_no_model": "this is not the manifest of a run | --force",
        "run_model": "this is not the manifest of a run | --force",
        "run_gone": "the predictions for 'negation.pairs' are missing | repeat `crossexam run`",
        "run_changed": "the predictions were changed after the run | repeat `crossexam run`",
        "run_no_items": "the items of test set 'base.pairs' are missing | put the suite back",
        "run -o out.docx": "'.docx' is not a supported report format | .html | -o out.html",
        "run --threshold 0.3": "no run has claims to check | build fact-checking",
        "run --threshold 30": "the threshold is 30 | above 0 and below 1",
        "run --threshold high": "'high' is not a threshold | dev:RUN",
        "run --threshold 0.3 --threshold 0.4": "'0.3 0.4' is not a threshold | one number",
        "run --threshold dev:nowhere": "nowhere: no such folder",
        "run --threshold dev:run": "no run has claims to check | build fact-checking",
        "run --threshold-per-set": "a threshold per data set needs a run | dev:RUN",
        "run -o emptydir": "emptydir: '' is not a supported report format | -o emptydir.html",
        "nosuch -o out.html --items 0": "--items is 0 | errors, all or a whole number above 0",
        "nosuch -o out.html --items wrong": "--items is 'wrong' | errors, all or a whole number above 0",
        "nosuch -o out.html --items ²": "--items is '²' | errors, all or a whole number above 0",
        "run --verified": "no item in the test sets of 'builtin/overlap' has been verified | --apply",
    },
    "compare {}": {
        "run suite": "the folder of a suite, not of a run | crossexam run MODEL suite",
        "run": "Missing argument 'RUN'",
        "run run -o out.docx": "'.docx' is not a supported report format | .md | -o out.md",
    },
    "gate {}": {
        "run": "crossexam.toml: no such file | --rules FILE | gate = [{set",
        "run --rules nosuch.toml": "nosuch.toml: no such file | tables [[gate]]",
        "run --rules pairs.csv": "pairs.csv: not TOML | tables [[gate]]",
        "run --rules r_empty.toml": "r_empty.toml: there are no rules | at least one | gate = [{set",
        "run --rules r_gates.toml": "no table of rules is called 'gates' | did you mean 'gate'?",
        "run --rules r_key.toml": "line 5: no key of a rule is called 'minimum' | did you mean 'min'?",
        "run --rules r_measure.toml": "line 1: no measure is called 'acuracy' | did you mean 'accuracy'?",
        "run --rules r_percent.toml": "r_percent.toml, rule that begins in line 1: "
        "'min' is 60 | from 0 to 1 | 60 % is 0.6",
        "run --rules r_margin.toml": "line 1: a margin without 'against' | against = \"baseline\"",
        "run --rules r_against.toml": "the rule is against a baseline, and none is given | --baseline FILE",
        "run --rules r_none.toml": "r_none.toml, rule that begins in line 1: "
        "no test set is called 'antonymy.*' | negation.pairs",
        "run --rules r_fine.toml --baseline nosuch": "nosuch: no such file | crossexam baseline RUN -o FILE",
        "run --rules r_fine.toml --baseline suite": "suite: this is a folder | a file that `crossexam base",
        "run --rules r_fine.toml --baseline xy.parquet": "xy.parquet: this is not a baseline | RUN -o FILE",
        "run --rules r_fine.toml --baseline pairs.csv": "pairs.csv: the file is damaged | RUN -o FILE",
        "run --rules r_fine.toml --alpha 2": "(alpha) is 2 | between 0 and 1",
        "run --rules r_fine.toml --open maybe": "Invalid value for '--open' | pass",
        "suite --rules r_fine.toml": "the folder of a suite, not of a run | crossexam run MODEL suite",
        "emptydir --rules r_fine.toml": "there is no manifest.json | repeat `crossexam run`",
    },
    "baseline {}": {
        "nosuch -o out.parquet": "nosuch: no such folder | a folder that `crossexam run` wrote",
        "suite -o out.parquet": "the folder of a suite, not of a run | crossexam run MODEL suite",
        "run": "Missing option '-o' / '--output'",
        "run -o emptydir": "emptydir: this is a folder | a file",
    },
    "train bag-of-words --train pairs.csv --dev pairs.csv {} -o out": {
        "--dev-limit 0": "Invalid value for '--dev-limit' | equal to 1",
        "--set c=-1": "'c' is -1 | above 0",
        "--set bigram=1": "no setting is called 'bigram' | did you mean 'bigrams'?",
    },
    "train esim --train pairs.csv --dev pairs.csv {} -o out": {
        "--set lr=-1": "--set lr=-1: 'learning_rate' is -1 | a number above 0",
        "--set batch_size=0": "'batch_size' is 0 | above 0",
        "--set epochs=0": "'epochs' is 0 | above 0",
        "--device gpu": "no device is called 'gpu' | cuda",
    },
    "train {}": {
        "esmi --train pairs.csv --dev pairs.csv -o out": "no model to train is called 'esmi' | 'esim'",
        "bag-of-words --train pairs.csv -o out": "Missing option '--dev'",
        "bag-of-words --train nosuch.csv --dev pairs.csv -o out": "nosuch.csv: no such file",
        "bag-of-words --train single.csv --dev pairs.csv -o out": "is labelled neutral | examples of",
        "random-forest --train pairs.csv --dev pairs.csv -o out": "needs word vectors | --vectors FILE",
        "bag-of-words --train single.csv --dev pairs.csv -o suite": "already holds another model | -o",
        "bag-of-words --train pairs.csv --dev pairs.csv -o pairs.csv": "pairs.csv: File exists | path",
    },
    "examine {} -o out": {
        "builtin/overlap --suite stress-test --base pairs.csv":
            "is called 'stress-test' | did you mean 'stress-tests'?",
        "py/nosuch:f --suite negation --base pairs.csv": "no module 'nosuch'",
        "builtin/overlop --suite negation --base pairs.csv": "is called 'overlop' | 'overlap'",
        "builtin/overlap --suite negation --base pairs.csv --items 0": "--items is 0 | errors, all",
        "hf/my-model hf/My.model hf/my_model 'hf/my model' --base pairs.csv":
            "of hf/my-model and hf/my model would be in the same folder, out/runs/hf-my-model | differ",
        "builtin/overlap builtin/overlap --base pairs.csv":
            "of builtin/overlap and builtin/overlap would be in the same folder | different models",
        "builtin/overlap --base pairs.csv --endpoint http://127.0.0.1:9/v1":
            "builtin/ models have no option 'endpoint' | leave out --endpoint",
        "builtin/overlap --base pairs.csv --dry-run": "--dry-run is for models behind an endpoint | api/NAME",
    },
    "validate {}": {
        "export study -o out.csv --judge zoe": "no judge is called 'zoe' | judge-1",
        "export study -o out.docx": "'.docx' is not a supported format | .csv or .json",
        "import study nosuch.csv": "nosuch.csv: No such file | choose another path",
        "import study pairs.csv": "pairs.csv, line 1: no column 'item' | validate export",
        "import study deep.json": "deep.json: not JSON: arrays or objects | a JSON export",
        "verdict study_cut": "study_cut/manifest.json: not JSON | restore the file",
        "verdict study_no_sets": "this is not the manifest of a study | restore the file",
        "verdict study_null": "the entry of test set 'base.pairs' is None | restore the file",
        "verdict suite": "this is not a study | validate sample SUITE -o STUDY",
        "serve nosuch": "nosuch: there is no manifest.json | validate sample",
        "sample suite --per-set 0 -o out": "--per-set is 0 | a positive whole number",
        "sample suite --set nosuch -o out": "no test set is called 'nosuch' | negation",
        "sample suite --question grammar -o out": "is called 'grammar' | 'grammar_kept'",
        "sample suite -o corpus": "corpus: this folder is not empty | choose another -o",
    },
    "{}": {
        "buld negation --base pairs.csv -o out": "No such command 'buld' | Did you mean 'build'?",
        "run builtin/overlap suite -o run_list": "field 'test_sets' is missing | --force",
        "run builtin/majority suite -o run": "this folder contains a run of builtin/overlap | --force",
        "run builtin/overlap suite -o run --limit 3": "a run over 12 other items | choose another -o",
        "run builtin/overlap suite -o run_cut": "run_cut/manifest.json: not JSON | or --force",
        "run hf/hf_one corpus --threshold 2 -o out": "the threshold is 2 | above 0 and below 1",
        "run hf/hf_three corpus --threshold 0.5 -o out": "three | no --threshold",
        "run hf/hf_label corpus --label-order entailment,neutral -o out":
            "but the checkpoint has 3 | each class of the checkpoint once",
        "run hf/hf_label corpus --label-order a,b,c -o out": "--label-order: 'a' is not a class | each of",
        "run hf/hf_three corpus --dtype int8 -o out": "'hf.dtype' cannot be 'int8' | float32, bfloat16",
        "run file/p_fine.jsonl corpus --threshold 0.5 -o out": "three labels | no --threshold",
        "run log/nosuch corpus -o out": "nosuch: no such file or folder | a log: samples_TASK_DATE.jsonl",
        "run log/pairs.csv corpus -o out": "there is no log of a known harness | file/PATH",
        "card nosuch": "nosuch: not a folder | a folder that crossexam build wrote",
        "export lm-evla suite -o out": "no format is called 'lm-evla' | did you mean 'lm-eval'?",
        "export lm-eval suite -o out --template gtp3": "no template is called 'gtp3' | did you mean 'gpt3'?",
        "export lm-eval suite -o out --only nosuch": "no test set is called 'nosuch' | available",
        "export jsonl suite -o hf_pickle": "there is something already | a new or empty folder",
        "convert builtin/minilm -o out": "'builtin/minilm' is not a checkpoint of transformers | hf/FOLDER",
        "subset easy --base pairs.csv -o out": "no kind of subset is called 'easy' | cs, hard",
        "subset hard --base pairs.csv -o out": "needs a hypothesis-only model | --model MODEL",
        "features builtin/overlap": "builtin/overlap has no named features | bow/FOLDER",
        "features bow/nosuch": "bow/nosuch: no such folder | crossexam train bag-of-words",
        "ls corpra": "no list is called 'corpra' | did you mean 'corpora'?",
        "fetch snil": "no corpus to fetch is called 'snil' | did you mean 'snli'?",
        "fetch multinli --from nosuch.zip": "nosuch.zip: no such file or folder | an archive",
        "build negation --base pairs.csv": "Missing option '-o' / '--output'",
        "demo -o pairs.csv": "pairs.csv/suite: Not a directory | choose another path",
        "build negation --base pairs.csv -o pairs.csv": "pairs.csv: this is a file | a folder",
        "build negation --base pairs.csv -o run --force":
            "run: the manifest.json in this folder does not describe a suite | choose another -o",
        "build negation --base pairs.csv -o study": "does not describe a suite | choose another -o",
        "build negation --base pairs.csv -o hf_pickle": "the folder hf_pickle is not empty | --force",
        "build negation --base more.csv -o suite": "a suite built from different input | --base: | --force",
        "build negation --base pairs.csv -o suite_request": "field 'request' is damaged | --force",
        "build negation --base pairs.csv -o suite_cut": "suite_cut/manifest.json: not JSON | --force",
        "run builtin/overlap corpus -o pairs.csv": "pairs.csv: this is a file | a folder",
        "run builtin/overlap corpus -o suite": "suite: this is not the folder of a run | choose another -o",
        "run builtin/overlap corpus -o pairs.csv/out": "pairs.csv/out: Not a directory | another path",
    },
}
# fmt: on
COMMANDS = {
    command.format(mistake): message.split(" | ")
    for command, mistakes in MISTAKES.items()
    for mistake, message in mistakes.items()
}


def invoke(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Run the command line in this process and return its exit code."""
    monkeypatch.setattr("sys.argv", ["crossexam", *arguments])
    try:
        main.run()
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


@pytest.fixture
def here(mistakes: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The same folder as the working folder; no corpus is installed."""
    monkeypatch.chdir(mistakes)
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("CROSSEXAM_DATA", str(mistakes / "emptydir"))
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    yield mistakes
    shutil.rmtree("out", ignore_errors=True)  # of a test that failed


def contents(folder: Path) -> dict[str, str]:
    """Return what is in *folder*: the hash of each file, by path."""
    return {
        str(path): hashlib.md5(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_a_mistake_is_one_clear_message(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    what, *others = COMMANDS[command]
    if "pipe" in command and not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    before = contents(here)
    assert invoke(shlex.split(command), monkeypatch) == 2
    error = capsys.readouterr().err
    assert contents(here) == before
    if not error.startswith("Usage:"):  # of typer
        first, *rest = error.partition("crossexam: ")[2].splitlines()
        assert what in first
        assert error.count("crossexam: ") == 1
        assert any(line.startswith(("  wanted: ", "  hint: ")) for line in rest)
        assert len(rest) <= 4
    plain = re.sub(r"[\s│]+", " ", error)
    assert [fragment for fragment in (what, *others) if fragment not in plain] == []
    assert not re.search(r"internal error|Traceback|Errno|recursion|set_int_max_str_digits|codec", error)


def test_the_table_covers_every_command() -> None:
    assert len(COMMANDS) == sum(map(len, MISTAKES.values())) >= 72
    commands = typer.main.get_command(main.app).commands  # type: ignore[attr-defined]
    assert set(commands) <= {command.split()[0] for command in COMMANDS}


def run(model: Any) -> cx.Run:
    return cx.run(model, cx.load_suite("suite"))


IN_PYTHON: dict[str, tuple[Callable[[], Any], str, str]] = {
    "no such file": (lambda: cx.load("nosuch.csv"), "nosuch.csv: no such file", "a file, or CORPUS:SPLIT"),
    "a number": (lambda: cx.load(3), "3", "wanted: "),
    "no hypothesis": (lambda: cx.load([{"premise": "A man sleeps."}]), "hypothesis", "wanted: "),
    "no such suite": (lambda: cx.build("negaton", "pairs.csv"), "'negaton'", "did you mean 'negation'?"),
    "a run as a suite": (lambda: cx.load_suite("run"), "the folder of a run, not of a suite", "report"),
    "a suite as a run": (
        lambda: cx.load_run("suite"),
        "the folder of a suite, not of a run",
        "crossexam run",
    ),
    "no such model": (lambda: run("builtin/overlop"), "'overlop'", "did you mean 'overlap'?"),
    "not a model": (lambda: run(3), "3 is not a model", "or a function that takes pairs"),
    "returns None": (lambda: run(lambda pairs: None), "did not return a list", "wanted: "),
    "exits": (lambda: run(sys.exit), "the function raised SystemExit", "hint: "),
}


@pytest.mark.parametrize("name", IN_PYTHON)
def test_a_mistake_in_python_is_an_error_of_crossexam(here: Path, name: str) -> None:
    mistake, what, way_out = IN_PYTHON[name]
    before = contents(here)
    with pytest.raises(CrossexamError) as caught:
        mistake()
    assert what in str(caught.value).splitlines()[0]
    assert way_out in str(caught.value)
    assert contents(here) == before


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("name", ["日本.csv", "caf\udce9.csv"], ids=["Japanese", "not UTF-8"])
def test_what_the_terminal_cannot_print_is_escaped(
    here: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, name: str
) -> None:
    written = {stream: io.BytesIO() for stream in ("stdout", "stderr")}
    for stream, into in written.items():
        monkeypatch.setattr(sys, stream, io.TextIOWrapper(into, encoding=encoding, write_through=True))
    assert invoke(["build", "negation", "--base", name, "-o", "out"], monkeypatch) == 2
    assert b"no such file" in written["stderr"].getvalue()
    assert invoke(["ls", "suites"], monkeypatch) == 0


@pytest.mark.parametrize(
    ("folder", "command"),
    [
        ("run_cut", "run builtin/overlap suite --force -o"),
        ("run_list", "run builtin/overlap suite --force -o"),
        ("suite_cut", "build negation --base pairs.csv --force -o"),
        ("suite_null", "build negation --base pairs.csv --force -o"),
    ],
)
def test_what_a_hint_recommends_mends_a_damaged_folder(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, command: str
) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    assert invoke([*command.split(), str(tmp_path / "copy")], monkeypatch) == 0
    assert (cx.load_run if folder.startswith("run") else cx.load_suite)(tmp_path / "copy")
