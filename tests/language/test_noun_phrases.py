"""Noun phrases and their adjectives, by the tags and by the parse."""

from crossexam.language.noun_phrases import adjective_pairs, noun_phrases
from made.cases import each_row
from made.sentences import parsed, tokens_of


@each_row
def test_pairs_of_a_tagged_sentence(sentence: str, pairs: str) -> None:
    assert ", ".join(map(" ".join, adjective_pairs(tokens_of(sentence), None))) == pairs


def test_noun_phrases_and_pairs_by_the_parse_and_without() -> None:
    # By the tags "wild" would stand before "boar"; the parse has it with "pigs".
    sentence = parsed("old/JJ dogs/NNS chase/VBP wild/JJ pigs/NNS", "1:amod 2:nsubj -1:root 4:amod 2:obj")
    assert [*adjective_pairs(sentence.tokens, sentence)] == [("old", "dog"), ("wild", "pig")]
    girl = "A/DT smiling/VBG girl/NN feeding/VBG brown/JJ goats/NNS"
    by_tags = [*noun_phrases(tokens_of(girl))]
    assert [(each.start, each.head, each.modifiers) for each in by_tags] == [(0, 2, (1,)), (4, 5, (4,))]
    sentence = parsed(girl, "2:det 2:amod -1:root 2:acl 5:amod 3:obj")
    assert [*noun_phrases(sentence.tokens, sentence)] == by_tags
    # A noun that the parse says stands before another is no head.
    compound = parsed("toy/NN ,/, boat/NN", "2:compound 2:punct -1:root")
    assert [phrase.head for phrase in noun_phrases(compound.tokens, compound)] == [2]
    # A participle that governs is no modifier.
    sentence = parsed("Men/NNS eating/VBG fish/NN", "-1:root 0:acl 1:obj")
    assert [phrase.start for phrase in noun_phrases(sentence.tokens, sentence)] == [0, 2]
    # A phrase takes all determiners and ends at them.
    (phrase,) = noun_phrases(tokens_of("big/JJ all/PDT the/DT three/CD boats/NNS"))
    assert (phrase.start, phrase.determiners, phrase.modifiers) == (1, (1, 2, 3), ())
    (phrase,) = noun_phrases(tokens_of("slow/JJ and/CC old/JJ boats/NNS"))
    assert (phrase.start, phrase.complex) == (0, True)
