"""The perceptron in the package tags as NLTK's would."""

import gzip
import json

from crossexam.core.example import SIDES
from crossexam.corpora.spec import iter_corpus
from crossexam.language.tagging import perceptron
from crossexam.language.tagging.perceptron import SHIPPED, shipped
from crossexam.language.tokens import words


def test_the_perceptron_in_the_package_tags_as_nltk_would() -> None:
    from nltk.tag.perceptron import PerceptronTagger

    theirs = PerceptronTagger.decode_json_obj(json.loads(gzip.decompress(SHIPPED.read_bytes())))
    ours = shipped().tagger
    odd = ["3-year-old", "1984", "1,200", "-", "--", "", "Ünïcode", "i", "I", "don", "n't", "x" * 40, "-LRB-"]
    sentences = [odd, odd[::-1], [], *([word] for word in odd)]
    for example in iter_corpus("builtin:demo"):
        sentences += [[token.text for token in words(example.text(side))] for side in SIDES]
    assert [ours.tag(sentence) for sentence in sentences] == [theirs.tag(sentence) for sentence in sentences]
    # tags of equal scores
    weights = {"i word a": {"DT": 1, "NN": 1, "VB": -1}, "i-1 tag NN": {"VB": 2, "DT": 1}}
    content = (weights, {"the": "DT"}, ["VB", "NN", "DT"])
    sentence = ["a", "the", "a", "b", "a"]
    wanted = PerceptronTagger.decode_json_obj(content).tag(sentence)
    encoded = {feature: json.dumps(by_tag).encode() for feature, by_tag in weights.items()}
    assert perceptron.PerceptronTagger(encoded, *content[1:]).tag(sentence) == wanted
