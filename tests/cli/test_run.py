"""crossexam run: further test sets in the folder of a run, and models that cannot be asked for now."""

from pathlib import Path

from crossexam.runs.saved import read_run
from made.commands import Crossexam


def test_a_second_suite_is_added_and_has_to_be_left_out_if_only_one_run_has_it(
    sets: Path, crossexam: Crossexam
) -> None:
    crossexam("run builtin/overlap base.tiny.parquet -o run")
    line = "run builtin/overlap base.tiny.parquet more.tiny.parquet --only"
    said = crossexam(f"{line} mo* -o run").err
    assert "run already had these test sets of the model, which are kept: base.tiny" in said
    assert list(read_run(sets / "run").datasets) == ["base.tiny", "more.tiny"]
    assert "'moer.tiny'" in crossexam(f"{line} moer.tiny -o other", 2).err
    crossexam("run builtin/majority base.tiny.parquet -o b")
    only = "only the first run (builtin/overlap) has: more.tiny"
    assert only in crossexam("compare run b -o c.csv", 2).err
    crossexam("compare run b --common -o c.csv")
    assert "more.tiny" not in (sets / "c.csv").read_text(encoding="utf-8")


def test_a_model_that_cannot_be_asked_for_now_ends_with_exit_code_4(sets: Path, crossexam: Crossexam) -> None:
    (sets / "down.py").write_text(
        "import crossexam as cx, pathlib\n"
        "def ask(pairs):\n"
        "    if not pathlib.Path('up').exists():\n"
        "        raise cx.UnfinishedError('the server is down', where='py/down')\n"
        "    return [{'status': 'refused'} for pair in pairs]\n",
        encoding="utf-8",
    )
    line = "run py/down:ask base.tiny.parquet -o run"
    message = crossexam(line, 4).err
    assert "py/down: the server is down; 1 of 1 distinct pairs are still to be asked" in message
    (sets / "up").touch()
    crossexam(line)
    assert read_run(sets / "run").outcomes_of("base.tiny").unanswered() == {"refused": 1}
    assert "1 refused" in crossexam("report run --max-unanswered 1").text
    crossexam(f"{line} --again refused,cut")
