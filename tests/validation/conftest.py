"""What the tests of human judgement share: items, suites of them, studies, and answers of judges."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.example import Change, Edit, Example
from crossexam.validation.answer_log import Judgement
from crossexam.validation.sampling import SampleRequest, sample_outcomes, sample_suite
from crossexam.validation.study import Study, open_study
from made.runs import GOLD_OF, dataset, run_of


@pytest.fixture(scope="session")
def items() -> Callable[..., Dataset]:
    """Return a test set of a construction with an item for each letter of *labels*, and *info* in each."""

    def make(construction: str, labels: str, **info: str) -> Dataset:
        known = [{"cluster": f"{construction}{n}", **info} for n in range(len(labels))]
        facts = {"construction": f"{construction}.v1", "rows": len(labels)}
        made = dataset(f"{construction}.dev", labels, info=known, **facts)
        return replace(made, manifest={**made.manifest, "content_hash": made.content_hash()})

    return make


@pytest.fixture(scope="session")
def say() -> Callable[..., None]:
    """Answer for each example of a table with one letter a judge, or one word; '.' is no answer."""

    def answer(study: Study, question: str, table: dict[str, str]) -> None:
        letters = GOLD_OF if question == "label" else {"y": "yes", "n": "no"}
        words = {**letters, "?": "cannot_say"}
        numbers = {item.example: item.number for item in study.items.values()}
        for example, said in table.items():
            values = said.split() if " " in said else said
            for judge, value in zip(study.judges, values, strict=False):
                if value != ".":
                    given = words.get(value) or value
                    study.record(Judgement(judge, numbers[example], question, given))

    return answer


@pytest.fixture
def study_of(tmp_path: Path, say: Callable[..., None]) -> Callable[..., Study]:
    """Draw a study of test sets, with *answers* by question."""

    def make(
        *datasets: Dataset,
        answers: dict[str, dict[str, str]] | None = None,
        folder: str = "study",
        **request: object,
    ) -> Study:
        suite = Suite("tiny", {each.name: each for each in datasets})
        sample_suite(suite, tmp_path / folder, SampleRequest(**request), origin="tiny")  # type: ignore[arg-type]
        study = open_study(tmp_path / folder)
        for question, table in (answers or {}).items():
            say(study, question, table)
        return study

    return make


@pytest.fixture
def pair(items: Callable[..., Dataset], study_of: Callable[..., Study]) -> Study:
    """A study of two contradictions by two judges."""
    return study_of(items("antonymy", "CC"), judges=2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "study"


@pytest.fixture
def study(study_of: Callable[..., Study]) -> Study:
    """Four antonymy items with premises that spreadsheets choke on, and one that is asked its label alone."""
    odd = ('=HYPERLINK("http://x")', "+1 is a number.", "Two\nlines, and a comma.", "Plain; with “quotes”.")
    texts = [(f"antonymy:secret{n}", premise, "-5 <b>&amp;</b>") for n, premise in enumerate(odd)]
    antonymy = tuple(Example(*each, "contradiction") for each in texts)
    spelling = (Example("spelling:secret", "Ann sang.", "Ann sagn.", "entailment"),)
    changed = Dataset("antonymy.dev", antonymy, {"construction": "antonymy.v1"})
    misspelt = Dataset("spelling.dev", spelling, {"construction": "spelling_error_content_word.v1"})
    return study_of(changed, misspelt, judges=2, seed=1)


@pytest.fixture
def of_doors(study_of: Callable[..., Study]) -> Callable[..., Study]:
    """Write a study of *n* doors, with premises that would run scripts."""

    def make(n: int = 4, folder: str = "study") -> Study:
        bad = '<script>alert("p")</script><img src=x onerror=alert(1)>'
        texts = ((f"Door {i} is open. {bad}", f"Door {i} is closed.") for i in range(n))
        examples = tuple(
            Example(f"antonymy:secret-{i}", *each, "contradiction") for i, each in enumerate(texts)
        )
        facts = {"construction": "antonymy.v1", "part": "secret_set"}
        return study_of(Dataset("antonymy.secret_set", examples, facts), folder=folder, judges=2)

    return make


@pytest.fixture
def of_a_change(study_of: Callable[..., Study]) -> Callable[..., Study]:
    """Write a study of an antonym in a long text, about which some questions are asked."""

    def make(*questions: str) -> Study:
        change = Change("c.v1", "premise", "hypothesis", (Edit("hypothesis", 4, 7, "hot", "cold"),))
        texts = "Tea is served." + 60 * " The river is wide and the boat is old.", "The cold tea."
        example = Example("x", *texts, "neutral", "b", change, {"pair": "hot/cold"})
        changed = Dataset("c.dev", (example,), {"construction": "c.v1"})
        return study_of(changed, folder="change", judges=1, questions=questions)

    return make


@pytest.fixture
def of_an_error(tmp_path: Path) -> Study:
    """A study of an error, whose question has hints and many choices."""
    examples = (Example("b0", "The soup was hot.", "The soup was cold.", "contradiction"),)
    run = run_of({"base.dev": "N"}, Dataset("base.dev", examples))
    sample_outcomes(tmp_path / "error", SampleRequest(judges=1), wrong=[run], origin="")
    return open_study(tmp_path / "error")
