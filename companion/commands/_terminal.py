"""Terminal output by ``rich``; a module of its own because importing ``rich`` takes time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress
from rich.text import Text

from companion.errors import UsageError
from companion.render.report import Line


def coloured(lines: Sequence[Line]) -> None:
    """Print lines with their styles on standard output."""
    Console().print(*(Text.assemble(*line) for line in lines), sep="\n")


Show = Callable[[bool], None]
"""Makes the whole terminal bright, or dark."""


@contextmanager
def flashing_screen() -> Iterator[Show]:
    """Take over the terminal during the block, dark at first.

    Raises
    ------
    UsageError
        Where standard output is no terminal.
    """
    console = Console()
    if not console.is_terminal:
        raise UsageError("run this in a terminal: its screen flashes before the camera")
    with console.screen(style="on black") as screen:
        yield lambda bright: screen.update(Text(), style="on bright_white" if bright else "on black")


class Bar:
    """A progress bar on standard error, where that is a terminal; it is shown only during work."""

    def __init__(self, count: int) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._progress.add_task("", total=count)

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Show the bar during the block, then count one more."""
        self._progress.start()
        try:
            yield
        finally:
            self._progress.stop()
            self._progress.advance(self._task)
