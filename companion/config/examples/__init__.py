"""An example configuration for each game."""

from __future__ import annotations

from pathlib import Path

from companion.errors import BadConfig, nearest

FOLDER = Path(__file__).parent

DEFAULT_EXAMPLE = "bananagrams"
"""The default game of a new table."""


def examples() -> list[str]:
    """Return the games that have an example."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def example(name: str) -> str:
    """Return an example as TOML; raise BadConfig where there is none."""
    if name not in examples():
        raise BadConfig(
            f"no example {name!r}{nearest(name, examples())} (there are {', '.join(examples())}); "
            "for another game take one of these and change its game"
        )
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
