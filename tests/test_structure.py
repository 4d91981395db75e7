"""The structure of the source: imports go one way without cycles, and a name means one thing."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import crossexam

SOURCE = Path(crossexam.__file__).parent
# fmt: off
ORDER = ("core", "engines", "language", "corpora", "constructions", "zoo", "shallow", "training", "models",
         "runs", "stats", "suites", "interop", "published", "evaluation", "validation", "reports", "gates",
         "api", "cli")
# fmt: on
HEAVY = (
    "polars",
    "pyarrow",
    "torch",
    "transformers",
    "spacy",
    "sklearn",
    "altair",
    "numpy",
    "nltk",
    "scipy",
    "ray",
)
MODULES = sorted(SOURCE.rglob("*.py"))
#: How many modules of the package a construction may pull in, lazy imports counted; more if it reads parses.
#: Among them are two that no construction calls itself: core.errors escapes what it quotes
#: (core.output.escapes), and an index of words is written under a lock (core.locks).
CLOSURES = {
    "tautology": 8, "spelling_error": 12, "word_shuffle": 8, "numerical_reasoning": 12, "antonymy": 29,
    "so_swap": 24, "add_amod": 24, "word_pair_swaps": 36,
}  # fmt: skip
#: Modules that take the largest of something else than probabilities of labels: counts, marks of wrong rows,
#: tags, compositions of a tree, classes whose order is in question, the chunks of a premise.
TAKE_LARGEST = {
    "evaluation.lexically_misleading", "evaluation.measures", "language.tagging.perceptron", "models.answers",
    "models.chunking", "models.prediction_file", "runs.answer_rows", "runs.saved", "stats.estimate",
    "zoo.gumbel_tree_lstm",
}  # fmt: skip
#: Names that several modules define on purpose: each architecture, model kind and format has its own.
SHARED_NAMES = {"ARCHITECTURE", "Config", "Options"}


def _name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {_name(path): path for path in MODULES}


def _targets(node: ast.AST) -> Iterator[str]:
    """Yield the modules of the package that the import *node* names."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in NAMES)
    elif isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            full = f"{node.module}.{alias.name}"
            if full in NAMES or node.module in NAMES:
                yield full if full in NAMES else node.module


def _imports(path: Path, *, typing: bool) -> set[str]:
    """Return what *path* imports, inside functions too; with *typing* also what only type checkers read."""

    def walk(node: ast.AST) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test) and not typing:
                continue
            yield from _targets(child)
            yield from walk(child)

    text = path.read_text(encoding="utf-8")
    strings = {t for t in re.findall(r'"(\w+(?:\.\w+)+):\w+"', text) if t in NAMES} if typing else set()
    return (set(walk(ast.parse(text))) | strings) - {_name(path)}


def _layer(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_one_way(path: Path) -> None:
    if path in {SOURCE / "__init__.py", SOURCE / "__main__.py"}:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        assert not isinstance(node, ast.ImportFrom) or node.level == 0, f"{path}: relative import"
        assert not isinstance(node, ast.Import) or all(a.name != "crossexam" for a in node.names), path
    own = ORDER.index(_layer(path))
    layers = {_layer(NAMES[name]) for name in _imports(path, typing=True) if name != "crossexam"}
    wrong = {layer for layer in layers if ORDER.index(layer) > own}
    assert not wrong, f"{path.relative_to(SOURCE)} imports {wrong}, which come after {ORDER[own]}"


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Lazy imports and those for type checkers count: a cycle that only a function hides is a cycle."""
    graph = {_name(path): _imports(path, typing=True) for path in MODULES if path.name != "__init__.py"}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a cycle of imports: {' -> '.join(error.args[1])}")


def closure(module: str) -> set[str]:
    """Return the modules of the package that *module* pulls in."""
    seen, pending = {module}, [module]
    while pending:
        for target in _imports(NAMES[pending.pop()], typing=False) - seen:
            seen.add(target)
            pending.append(target)
    return seen - {module}


@pytest.mark.parametrize(("construction", "most"), CLOSURES.items())
def test_a_construction_can_be_read_alone(construction: str, most: int) -> None:
    pulled = closure(f"crossexam.constructions.{construction}")
    assert len(pulled) <= most, sorted(pulled)


def test_no_folder_is_crowded() -> None:
    folders = defaultdict(list)
    for path in MODULES:
        folders[path.parent].append(path.name)
    assert {str(folder): len(names) for folder, names in folders.items() if len(names) > 26} == {}


def test_files_are_one_concept() -> None:
    long = {_name(p): n for p in MODULES if (n := len(p.read_text(encoding="utf-8").splitlines())) > 600}
    assert long == {}


def test_few_files_serve_one_neighbour_only() -> None:
    """A file that one sibling alone imports is usually a part of that sibling, unless that is a table."""
    importers = defaultdict(set)
    for path in MODULES:
        for target in _imports(path, typing=False):
            importers[target].add(path)
    whole = [p for p in MODULES if p.name != "__init__.py" or len(p.read_text().splitlines()) > 15]
    alone = [
        path
        for path in whole
        if len(users := importers[_name(path)]) == 1
        and (user := next(iter(users))).parent == path.parent
        and user.name != "table.py"
    ]
    assert len(alone) <= 0.1 * len(whole), [_name(path) for path in alone]


def _pragmas() -> Iterator[tuple[Path, int]]:
    for path in MODULES:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(r"# fmt: (?:skip|off)", line):
                yield path, number


def _is_in_table(path: Path, number: int) -> bool:
    """Return whether line *number* belongs to, or stands right before, a table at the top of the module."""
    statements = ast.parse(path.read_text(encoding="utf-8")).body
    for statement in statements:
        if statement.end_lineno is not None and number <= statement.end_lineno:
            table = isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None
            return table and not isinstance(statement.value, ast.Lambda)
    return False


def test_only_tables_are_formatted_by_hand() -> None:
    pragmas = list(_pragmas())
    assert [f"{_name(path)}:{number}" for path, number in pragmas if not _is_in_table(path, number)] == []
    assert len(pragmas) <= 60


def _public_names(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            yield node.name


def test_one_name_means_one_thing() -> None:
    """The verbs of the library and of the command line are the same, so ``api`` and ``cli`` repeat them."""
    defined = defaultdict(set)
    for path in MODULES:
        if _layer(path) not in {"api", "cli"}:
            for name in _public_names(path):
                defined[name].add(_name(path))
    verbs = set(_public_names(SOURCE / "api.py"))
    twice = {name: sorted(where) for name, where in defined.items() if len(where) > 1 or name in verbs}
    assert {name: where for name, where in twice.items() if name not in SHARED_NAMES} == {}


def test_labels_are_predicted_in_one_place() -> None:
    """Which label is predicted, above all of equally probable ones, is decided in ``core/labels.py``."""
    calls = {
        _name(path).removeprefix("crossexam.")
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in {"argmax", "nanargmax", "arg_max", "idxmax"}
    }
    assert calls == TAKE_LARGEST


@pytest.mark.parametrize("module", ["crossexam", "crossexam.cli.main", "crossexam.suites.short_forms"])
def test_importing_loads_nothing_heavy(module: str) -> None:
    heavy = HEAVY if module == "crossexam.cli.main" else (*HEAVY, "importlib.metadata")
    code = f"import sys, {module}; print(*[name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_table_of_suites_loads_no_model() -> None:
    """Most suites need none, and models, runs and statistics take a fifth of what a build imports."""
    code = (
        "import sys, crossexam.suites.table; print(*[n for n in sys.modules if n.startswith('crossexam.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    layers = {name.split(".")[1] for name in done.stdout.split()}
    assert "suites" in layers
    assert layers.isdisjoint({"models", "runs", "shallow", "stats"})
