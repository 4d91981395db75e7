"""What the tests of language share."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crossexam.language.lexicons.wordnet import WordNet, wordnet
from made.wordnet import MINI, SOURCE, compile_wordnet


@pytest.fixture(scope="session")
def pipeline_in() -> Callable[..., str]:
    """Write a spaCy pipeline that knows nothing to a folder, and return its spec."""

    def write(folder: Path, *, tags: str = "", relations: str = "") -> str:
        spacy = pytest.importorskip("spacy")
        spacy.util.fix_random_seed(5)
        nlp = spacy.blank("en")
        for component, labels in (("tagger", tags), ("parser", relations)):
            if labels:
                pipe = nlp.add_pipe(component)
                for label in labels.split():
                    pipe.add_label(label)
        if nlp.pipe_names:
            nlp.initialize()
        nlp.to_disk(folder)
        return f"spacy:{folder}"

    return write


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    """The WordNet of a page."""
    path = tmp_path_factory.mktemp("mini") / "mini.zip"
    path.write_bytes(compile_wordnet(MINI)[0])
    return WordNet(path)


@pytest.fixture(scope="module")
def nltk_wordnet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """NLTK's WordNet over Debian's files; it wants names of the 45 lexicographers' files, too."""
    if not (SOURCE / "index.sense").is_file():
        pytest.skip(f"no WordNet at {SOURCE} (Debian: wordnet-base, wordnet-sense-index)")
    import nltk
    from nltk.corpus import LazyCorpusLoader
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    root = tmp_path_factory.mktemp("nltk_data")
    folder = root / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for name in {*WordNetCorpusReader._FILES} - {"lexnames"}:
        shutil.copy(SOURCE / name, folder)
    (folder / "lexnames").write_text("".join(f"{number:02}\tfile\t1\n" for number in range(45)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nltk.data, "path", [str(root)])
        reader = LazyCorpusLoader("wordnet", WordNetCorpusReader, None)
        patch.setattr(nltk.wsd, "wordnet", reader)
        patch.setattr(nltk.corpus, "wordnet", reader)
        yield reader


@pytest.fixture(scope="module")
def number_of(nltk_wordnet: Any) -> Callable[[Any], int | None]:
    """From NLTK's synset to ours, by offset: names of satellites differ between versions of NLTK."""
    numbers = {(wordnet().pos_of(s), wordnet().offset(s)): s for s in range(len(wordnet()))}
    return lambda synset: None if synset is None else numbers[synset.pos(), synset.offset()]
