"""Rules that hold for the whole source; a test names every line that breaks its rule."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import crossexam

SOURCE, TESTS = Path(crossexam.__file__).parent, Path(__file__).parent
ORDER = ("core", "engines", "language", "corpora", "constructions", "zoo", "shallow", "training", "models",
         "runs", "stats", "suites", "interop", "published", "evaluation", "validation", "reports", "gates",
         "options", "api", "cli")  # fmt: skip
HEAVY = {"polars", "pyarrow", "torch", "transformers", "spacy", "sklearn", "vl_convert", "numpy", "nltk",
         "scipy", "ray"}  # fmt: skip
#: How many modules of the package a construction may pull in, lazy imports counted; more if it reads parses.
#: Among them are two that no construction calls itself: core.errors escapes what it quotes
#: (core.output.escapes), and an index of words is written under a lock (core.locks).
CLOSURES = {
    "tautology": 6, "spelling_error": 12, "word_shuffle": 7, "numerical_reasoning": 16, "antonymy": 26,
    "so_swap": 23, "add_amod": 21, "word_pair_swaps": 37,
}  # fmt: skip
#: Modules that take the largest of something else than probabilities of labels: counts, marks of wrong rows,
#: tags, compositions of a tree, classes whose order is in question, the chunks of a premise.
TAKE_LARGEST = {
    "evaluation.lexically_misleading", "evaluation.measures", "language.tagging.perceptron", "models.answers",
    "models.chunking", "models.prediction_file", "stats.estimate", "zoo.gumbel_tree_lstm",
}  # fmt: skip
#: Tests that are about several modules.
OF_SEVERAL = {
    "cli/disk_full", "cli/messages", "constructions/plug_ins", "evaluation/projections",
    "evaluation/properties", "evaluation/stored", "models/api/llama_cpp", "reports/one_voice",
    "reports/shown_figures", "reports/trackers", "runs/parses", "stats/documentation",
    "stats/simulated_coverage", "validation/page", "zoo/encoders",
}  # fmt: skip


class Module(NamedTuple):
    """A file of the package: its path, text and tree, and every node of the tree."""

    path: Path
    text: str
    tree: ast.Module
    nodes: list[ast.AST]

    @property
    def short(self) -> str:
        """The path within the package."""
        return self.path.relative_to(SOURCE).as_posix()

    @property
    def layer(self) -> str:
        """The folder of the package, or the file in it, that the module belongs to."""
        return self.path.relative_to(SOURCE).parts[0].removesuffix(".py")


@cache
def modules() -> dict[str, Module]:
    """Return the modules of the package by name, each parsed once for all rules."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = Module(path, text, tree, list(ast.walk(tree)))
    return found


def _targets(node: ast.AST) -> Iterator[str]:
    """Yield the modules of the package that the import *node* names."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in modules())
    elif isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            full = f"{node.module}.{alias.name}"
            if full in modules() or node.module in modules():
                yield full if full in modules() else node.module


@cache
def _imports(name: str, *, typing: bool) -> dict[str, int]:
    """Return what a module imports, inside functions too, with the line of the import.

    With *typing* also what only type checkers read, and modules that are named in strings.
    """

    module = modules()[name]
    hidden: set[ast.AST] = set()
    for node in module.nodes if not typing else ():
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            hidden.update(ast.walk(node))
    imports = (node for node in module.nodes if isinstance(node, ast.Import | ast.ImportFrom))
    found = {target: node.lineno for node in imports if node not in hidden for target in _targets(node)}
    if typing:
        for string in re.finditer(r'"(\w+(?:\.\w+)+):\w+"', module.text):
            if string[1] in modules():
                found.setdefault(string[1], module.text.count("\n", 0, string.start()) + 1)
    return {target: line for target, line in found.items() if target != name}


def test_imports_go_one_way() -> None:
    wrong = []
    for name, module in modules().items():
        if module.short in {"__init__.py", "__main__.py"}:
            continue
        for node in module.nodes:
            if isinstance(node, ast.ImportFrom) and node.level:
                wrong.append(f"{module.short}:{node.lineno}: a relative import")
            elif isinstance(node, ast.Import) and any(each.name == "crossexam" for each in node.names):
                wrong.append(f"{module.short}:{node.lineno}: imports all of crossexam")
        for target, line in _imports(name, typing=True).items():
            layer = modules()[target].layer
            if target != "crossexam" and ORDER.index(layer) > ORDER.index(module.layer):
                wrong.append(f"{module.short}:{line}: {layer} comes after {module.layer}")
    assert wrong == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Lazy imports and those for type checkers count: a cycle that only a function hides is a cycle."""
    whole = [name for name, module in modules().items() if module.path.name != "__init__.py"]
    TopologicalSorter({name: _imports(name, typing=True).keys() for name in whole}).prepare()


def test_a_construction_can_be_read_alone() -> None:
    def closure(name: str) -> set[str]:
        """Return the modules of the package that a module pulls in, and itself."""
        seen, pending = {name}, [name]
        while pending:
            new = _imports(pending.pop(), typing=False).keys() - seen
            seen |= new
            pending += new
        return seen

    pulled = {name: sorted(closure(f"crossexam.constructions.{name}")) for name in CLOSURES}
    assert {name: names for name, names in pulled.items() if len(names) - 1 > CLOSURES[name]} == {}


def _loaded_by(statement: str, *arguments: str) -> set[str]:
    """Return the modules that a new process has loaded when *statement* ends."""
    code = f"import sys\ntry: {statement}\nfinally: print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    return set(done.stderr.split())


def test_importing_loads_nothing_heavy() -> None:
    light = {*HEAVY, "importlib.metadata"}
    unwanted = {
        "crossexam": {*light, "crossexam.core.errors"},
        "crossexam.options.short_forms": light,
        "crossexam.cli.main": {*HEAVY, "crossexam.options.build"},
        # most suites need no model, and these take a fifth of what a build imports
        "crossexam.suites.table": {f"crossexam.{name}" for name in ("models", "runs", "shallow", "stats")},
    }
    for name, heavy in unwanted.items():
        loaded = _loaded_by(f"import {name}")
        assert name in loaded
        assert not loaded & heavy, name


def test_help_imports_no_command_and_nothing_heavy() -> None:
    run = "from crossexam.cli.main import run; run()"
    for arguments in (("--help",), ("examine", "--help"), ("train", "--help-all")):
        loaded = _loaded_by(run, *arguments)
        assert "crossexam.cli.command" in loaded
        assert not loaded & {*HEAVY, "pydantic", "crossexam.core.dataset"}
        assert not {name for name in loaded if re.match(r"crossexam\.cli\.(?!main|command|console)", name)}
    # One that is refused imports what it needs only.
    assert not _loaded_by(run, "card", "nosuch") & {"pydantic", "torch", "scipy.stats", "pandas"}


def test_no_folder_is_crowded_and_files_are_one_concept() -> None:
    folders = Counter(str(module.path.parent) for module in modules().values())
    assert {folder: count for folder, count in folders.items() if count > 26} == {}
    lengths = {module.short: len(module.text.splitlines()) for module in modules().values()}
    assert {name: lines for name, lines in lengths.items() if lines > 600} == {}


def test_tests_are_where_what_they_test_is() -> None:
    """``tests/a/test_b.py`` is about ``a/b.py``, or about several modules."""
    modules_of_tests = {
        path.relative_to(TESTS).with_name(path.stem.removeprefix("test_")).as_posix()
        for path in TESTS.rglob("test_*.py")
        if (SOURCE / path.relative_to(TESTS)).parent.is_dir() and path.parent != TESTS
    }
    assert (
        modules_of_tests - {module.short.removesuffix(".py") for module in modules().values()} == OF_SEVERAL
    )


def test_few_tables_are_formatted_by_hand() -> None:
    assert sum(len(re.findall("# fmt: (?:skip|off)", each.text)) for each in modules().values()) <= 60


def test_labels_are_predicted_in_one_place() -> None:
    """Which label is predicted, above all of equally probable ones, is decided in ``core/labels.py``."""
    largest = {"argmax", "nanargmax", "arg_max", "idxmax"}
    calls = {
        name.removeprefix("crossexam.")
        for name, module in modules().items()
        for node in module.nodes
        if isinstance(node, ast.Attribute) and node.attr in largest
    }
    assert calls == TAKE_LARGEST
