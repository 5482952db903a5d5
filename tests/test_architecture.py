"""Who may import whom, and how large a file and a function may grow.

One way only: devices turn the world into values, rules turn values into
events, people see projections of the events.  A unit that is not named here
has no place yet: give it one, in ``MAY_IMPORT``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from companion.rules.registry import installed

VALUES = {"companion.errors", "companion.files", "companion.model"}
GAME = VALUES | {"companion.words", "companion.rules"}
LIVE = GAME | {
    "companion.vision",
    "companion.render",
    "companion.config",
    "companion.events",
    "companion.rpc",
}
ALL = LIVE | {"companion.bots", "companion.table", "companion.web"}
ALL |= {
    "companion.processes",
    "companion.hall",
    "companion.paper",
    "companion.wizard",
    "hardware",
    "calibration",
}
MAY_IMPORT: dict[str, set[str]] = {
    "companion": set(),
    "companion.errors": set(),
    "companion.files": set(),
    "companion.version": set(),
    "companion.processes": set(),
    "companion.updating": {"companion.files", "companion.processes"},
    "companion.model": {"companion.errors"},
    "companion.words": VALUES,
    "companion.vision": VALUES,
    "companion.render": VALUES | {"companion.vision"},
    "companion.config": VALUES,
    "companion.rules": VALUES | {"companion.words"},
    "companion.events": GAME | {"companion.config", "companion.version"},
    "companion.rpc": VALUES | {"companion.config"},
    "companion.line": {"companion.rpc"},
    "companion.paper": VALUES,
    "companion.bots": GAME | {"companion.config"},
    "companion.table": LIVE,
    "companion.wizard": LIVE | {"companion.paper", "companion.table", "calibration"},
    "companion.bench": ALL | {"companion", "companion.bootstrap"},
    "companion.rehearsal": ALL | {"companion.bench", "companion.bootstrap"},
    "companion.drill": ALL | {"companion", "companion.bench", "companion.bootstrap"},
    "companion.web": LIVE | {"companion.paper", "companion.updating", "companion.version"},
    "companion.hall": LIVE | {"companion.paper", "companion.processes", "companion.web"},
    "calibration": VALUES
    | {"companion.config", "companion.paper", "companion.render", "companion.vision", "companion.words"},
    "hardware": VALUES | {"companion.config", "companion.processes", "companion.vision", "calibration"},
    "companion.bootstrap": ALL | {"companion.version"},
    "companion.commands": ALL
    | {"companion.bench", "companion.bootstrap", "companion.drill", "companion.rehearsal"},
    "companion.packaging": VALUES
    | {
        "companion.processes",
        "companion.bootstrap",
        "companion.cli",
        "companion.config",
        "companion.version",
        "companion.web",
    },
    "companion.cli": {"companion.errors", "companion.commands", "companion.version"},
    "companion.__main__": {"companion.cli"},
}
"""Unit of the project: the other units that its modules may import."""

PURE = set(
    "__future__ abc bisect codecs collections colorsys copy dataclasses decimal difflib enum fractions "
    "functools graphlib hashlib heapq io itertools json math operator re statistics string struct textwrap "
    "types typing unicodedata zlib".split()
)
"""Modules of the standard library that touch nothing but their arguments."""

FILES = {"gzip", "logging", "os", "pathlib"}
PICTURES = PURE | {"numpy", "cv2", "onnxruntime", "PIL", "pytesseract"}
CORE = {
    "companion.model": PURE,
    "companion.rules": PURE,
    "companion.words": PURE,
    "companion.vision": PICTURES,
    "companion.render": PICTURES - {"onnxruntime", "pytesseract"},
}
"""Unit of the pure core: the outside modules that it may import."""

PURE_PARTS = {
    "companion.hall.formats": PURE
    | {"networkx", "companion.errors", "companion.hall.formats", "companion.model", "companion.rules"},
}
"""Pure part of another unit: all that it may import, of the project too."""

EDGES: dict[str, set[str]] = {
    "companion.model.tiles": {"pathlib"},  # opens the tile sets
    "companion.vision.fewshot.embedding": {"pathlib"},  # opens the trained model
    "companion.vision.fewshot.sheet": {"pathlib"},  # opens the pictures of a set's tiles
    "companion.vision.networks": {"os", "pathlib"},  # opens the trained models, their library's telemetry off
    "companion.vision.picture": FILES | {"stat", "threading", "warnings"},  # opens photographs
    "companion.vision.pipeline.evidence": {"pathlib"},  # opens the fitted model
    "companion.vision.pipeline.reader": {"time"},  # tells how long its stages took
    "companion.vision.ocr": FILES | {"tempfile"},  # starts Tesseract
    "companion.rules.registry": {"importlib.metadata"},  # finds the games of strangers
    "companion.vision.tracking.publish": {"time"},  # tells how long grouping took
    "companion.words.build": FILES | {"argparse"},  # makes the word list that ships
    "companion.words.chosen": FILES,  # opens the word list that is in force
    "companion.words.masking": FILES,  # opens the list of words that are masked
    "companion.words.hunspell": FILES,  # opens a dictionary
    "companion.words.text_lists": FILES,  # opens a host's own list
    "companion.words.store": FILES,  # keeps the lists of a host
}
"""Module of the pure core that opens something: what it may import besides."""

HOMES = {
    "cattrs": ("companion.config", "companion.events.codec"),
    "flask": ("companion.web", "companion.hall"),
    "gevent": ("companion.web", "companion.hall.pages"),
    "gpiozero": ("hardware", "companion.bootstrap"),
    "networkx": ("companion.hall.formats",),
    "onnxruntime": ("companion.vision", "calibration.training"),
    "paho": ("companion.hall.mqtt",),
    "sqlite3": ("companion.events", "companion.hall.replica", "companion.drill.broken_inputs"),
    "torch": ("calibration.training",),
}
"""Outside module: the only places that know of it."""

GAMES = {"bananagrams", "chew", "league_city", "binary_scrabble", "martian_boggle"}
PLAYED_BY_NAME = (
    "companion.bench",
    "companion.bots",
    "companion.config.examples",
    "companion.drill",
    "companion.rehearsal",
)
"""Where games may be named besides their own folders: what plays or measures some of them."""

NAMED = re.compile(rf"(?<![\w-])({'|'.join(sorted(GAMES))})(?![\w-]|\.txt)", re.IGNORECASE)
"""A game's name in a text; ``bananagrams-en`` is a set of tiles, ``chew.txt`` the text of its rules."""

LONGEST_FILE = 400
MOST_ARGUMENTS = 6


def unit(name: str) -> str:
    """Return the unit that a dotted name belongs to."""
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] == "companion" else parts[0]


def within(name: str, places: set[str] | tuple[str, ...]) -> bool:
    return any(name == place or name.startswith(f"{place}.") for place in places)


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted name of everything that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            before = "." * node.level + (node.module or "")
            yield from (f"{before}.{name.name}" for name in node.names)


def refused(module: str, name: str) -> str | None:
    """Return why a module may not import a name, or ``None``."""
    here, there = unit(module), unit(name)
    for part, allowed in PURE_PARTS.items():
        if within(module, (part,)) and not within(name, allowed):
            return f"is not pure enough for {part}"
    if name.startswith("."):
        return "is relative"
    if there in MAY_IMPORT or there.startswith("companion."):
        if here != there and there not in MAY_IMPORT.get(here, set()):
            return f"is none of {here}'s business"
        rivals = [game for game in GAMES if within(name, (f"companion.rules.{game}",))]
        if rivals and within(module, {f"companion.rules.{game}" for game in GAMES - set(rivals)}):
            return "is another game"
    elif here in CORE and not within(name, CORE[here] | EDGES.get(module, set())):
        return f"is not pure enough for {here}"
    if any(within(name, (outside,)) and not within(module, homes) for outside, homes in HOMES.items()):
        return "has its home elsewhere"
    return None


def arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return how many arguments a caller may have to think of."""
    given = function.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
    return sum(argument.arg not in {"self", "cls"} for argument in named)


def named(tree: ast.AST) -> Iterator[str]:
    """Yield each game that a module imports or names in a text that is no documentation."""
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield from (name.lower() for name in NAMED.findall(node.value))
    for name in imported(tree):
        yield from GAMES & set(name.split("."))


def named_elsewhere(module: str, tree: ast.AST) -> list[str]:
    """Return the games that a module names and that are none of its business."""
    own = {f"companion.rules.{game}" for game in GAMES}
    return [] if within(module, own | set(PLAYED_BY_NAME)) else sorted(set(named(tree)))


def faults(module: str, source: str) -> list[str]:
    """Return every breach of the house's order in one module, each as a sentence."""
    tree = ast.parse(source)
    found = [] if unit(module) in MAY_IMPORT else [f"{module}: {unit(module)} has no place in MAY_IMPORT"]
    found += [f"{module}: {name} {why}" for name in imported(tree) if (why := refused(module, name))]
    if not found:
        found += [f"{module}: names the game {game}" for game in named_elsewhere(module, tree)]
    if (lines := len(source.splitlines())) > LONGEST_FILE:
        found.append(f"{module}: {lines} lines")
    found += [
        f"{module}: {node.name} takes {arguments(node)} arguments"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and arguments(node) > MOST_ARGUMENTS
    ]
    return found


@pytest.fixture(scope="module")
def sources(root: Path) -> dict[str, str]:
    """Every module of the product by its dotted name."""
    files = [path for top in ("companion", "hardware", "calibration") for path in (root / top).rglob("*.py")]
    return {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path.read_text(
            "utf-8"
        )
        for path in files
    }


def test_every_module_keeps_the_order_of_the_house(sources: dict[str, str]) -> None:
    assert len(sources) > 10
    assert [fault for module, source in sources.items() for fault in faults(module, source)] == []


def test_no_template_names_a_game(root: Path) -> None:
    titles = {one.title for one in installed()} | {"Chew", "League City"}
    told = re.compile("|".join([NAMED.pattern, *map(re.escape, sorted(titles))]), re.IGNORECASE)
    templates = sorted((root / "companion").rglob("templates/**/*.html"))
    assert any("hall" in one.parts for one in templates)
    assert {
        str(one.relative_to(root)): found for one in templates if (found := told.findall(one.read_text()))
    } == {}


def test_no_leave_outlives_the_module_that_it_was_given_to(sources: dict[str, str]) -> None:
    assert EDGES.keys() - sources.keys() == set()


def test_no_two_units_may_import_each_other() -> None:
    TopologicalSorter(MAY_IMPORT).prepare()


def test_no_module_imports_itself_by_way_of_others(sources: dict[str, str]) -> None:
    graph = {module: set[str]() for module in sources}
    for module, source in sources.items():
        for name in imported(ast.parse(source)):
            target = name if name in sources else name.rpartition(".")[0]
            graph[module] |= {target} & sources.keys() - {module}
    TopologicalSorter(graph).prepare()


def test_one_file_alone_knows_tesseract_beside_the_baseline_of_the_benchmark(
    sources: dict[str, str],
) -> None:
    knowing = {
        m
        for m, source in sources.items()
        if any(within(n, ("pytesseract",)) for n in imported(ast.parse(source)))
    }
    assert len(knowing - {"companion.bench.baseline"}) <= 1


def test_no_test_grows_longer_than_a_file_may(root: Path) -> None:
    long = [
        p.name
        for p in (root / "tests").rglob("*.py")
        if len(p.read_text("utf-8").splitlines()) > LONGEST_FILE
    ]
    assert long == []


@pytest.mark.parametrize(
    ("module", "line", "says"),
    [
        (
            "companion.model.seats",
            "from companion.words import lexicon",
            "companion.words.lexicon is none of",
        ),
        ("companion.words.lexicon", "import companion.rules.chew", "is none of companion.words's business"),
        (
            "companion.rules.chew",
            "from companion import events",
            "companion.events is none of companion.rules's",
        ),
        ("companion.rules.chew", "from companion.rules.bananagrams import deal", "is another game"),
        ("companion.rules.chew", "from companion.rules import bananagrams", "is another game"),
        ("companion.rules.chew", "from .clock import Clock", "is relative"),
        ("companion.rules.chew", "import random", "random is not pure enough for companion.rules"),
        ("companion.rules.chew", "from datetime import datetime", "is not pure enough"),
        ("companion.rules.chew", "import os.path", "is not pure enough"),
        ("companion.rules.chew", "def f():\n    import time", "time is not pure enough"),
        ("companion.model.seats", "from pathlib import Path", "is not pure enough"),
        ("companion.words.lexicon", "import numpy", "is not pure enough"),
        ("companion.vision.locate", "import torch", "is not pure enough"),
        ("companion.vision.locate", "from companion.rules import chew", "is none of companion.vision's"),
        ("companion.table", "from companion.web import pages", "is none of companion.table's business"),
        ("companion.table", "import flask.views", "flask.views has its home elsewhere"),
        ("companion.hall.formats.swiss", "import random", "random is not pure enough for companion.hall"),
        ("companion.hall.formats.swiss", "from companion.events import log", "is not pure enough for"),
        ("companion.web", "import hardware.camera", "hardware.camera is none of"),
        ("hardware.camera", "from companion.table import loop", "is none of hardware's business"),
        ("hardware.camera", "from companion.nowhere import loop", "is none of hardware's business"),
        ("calibration.lens", "from companion.rules import chew", "is none of calibration's business"),
        ("calibration.lens", "import torch", "has its home elsewhere"),
        ("companion.web", 'GAMES = ("chew",)', "companion.web: names the game chew"),
        ("companion.hall.formats", 'OF_TWO = ("martian_boggle",)', "names the game martian_boggle"),
        ("companion.web", "from companion.rules.chew import calls", "companion.web: names the game chew"),
        ("companion.rules.registry", "from companion.rules.chew import calls", "names the game chew"),
        ("companion.gadgets", "import math", "companion.gadgets has no place in MAY_IMPORT"),
        ("companion.table", "def f(a, b, /, c, *d, e, f, **g): ...", "f takes 7 arguments"),
        ("companion.table", "async def f(a, b, c, d, e, f, g): ...", "f takes 7 arguments"),
        ("companion.table", "\n" * 401, "companion.table: 401 lines"),
    ],
)
def test_a_breach_is_found_and_named(module: str, line: str, says: str) -> None:
    found = faults(module, line)
    assert len(found) == 1
    assert says in found[0]


@pytest.mark.parametrize(
    ("module", "line"),
    [
        (
            "companion.rules.chew",
            "from companion.rules.clock import Clock\nfrom collections.abc import Sequence",
        ),
        ("companion.rules.chew.judge", "from companion.rules.chew import deal"),
        ("companion.rules.chew", "from companion.model.seats import Seat\nimport dataclasses"),
        ("companion.model.tiles", "from pathlib import Path"),
        ("companion.vision.locate", "import cv2\nimport numpy as np\nfrom numpy.typing import NDArray"),
        ("calibration.training.teach", "from torch.nn import functional"),
        ("companion.web", "import flask, socket"),
        ("companion.commands.read", "import companion.bootstrap"),
        ("companion.table", "class A:\n    def f(self, a, b, c, d, e, f): ..."),
        ("companion.web", 'def f():\n    """As in Chew."""\n    return "bananagrams-en"'),
        ("companion.rehearsal", 'GAMES = ("chew",)'),
        ("companion.rules.chew", 'TITLE = "Bananagrams in clubs"'),
        ("companion.table", "\n" * 400),
    ],
)
def test_what_the_order_allows_is_not_called_a_breach(module: str, line: str) -> None:
    assert faults(module, line) == []
