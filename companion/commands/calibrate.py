"""``companion calibrate``: lens and table of a camera, measured and stored in one profile.

Each step is a module of ``companion.commands.calibration`` that has ``arguments(parser)`` and ``run(args)``,
like every command, and a line in ``STEPS``.
"""

from __future__ import annotations

import argparse
import importlib

STEPS = {
    "table": ("table", "find the table in a picture, by its markers or by four taps"),
    "lens": ("lens", "find how the lens bends the picture, from pictures of the lens board"),
    "light": ("light", "look whether light, focus and resolution let tiles be read"),
    "delay": ("delay", "measure how late a network camera's pictures come, by a screen that flashes"),
    "show": ("show", "say what a profile knows, and draw it"),
    "check": ("check", "whether the camera still stands as it did, corrected where it can be"),
    "export": ("exported", "hand a profile on, checked"),
    "import": ("imported", "take in a profile that somebody else made"),
}
"""The module of each step and its help, by the step's name."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the steps and the options of each."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    steps = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    usages = []
    for name, (module, what) in STEPS.items():
        step = steps.add_parser(name, help=what, description=what)
        importlib.import_module(f"companion.commands.calibration.{module}").arguments(step)
        usages.append(step.format_usage().removeprefix("usage: ").rstrip())
    parser.epilog = "\n".join(usages)


def run(args: argparse.Namespace) -> int:
    """Run the step; return the exit status."""
    module, _ = STEPS[args.step]
    return int(importlib.import_module(f"companion.commands.calibration.{module}").run(args))
