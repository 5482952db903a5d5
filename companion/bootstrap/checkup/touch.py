"""Every button pressed and every light seen by the host, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from queue import Empty, SimpleQueue

from companion.bootstrap.devices import Simulation
from companion.config.table import TableConfig
from companion.errors import NoPins
from companion.model.patterns import Pattern
from companion.model.phrases import phrase, phrase_n
from hardware.buttons import Buttons, Press
from hardware.cameras.checks import Check
from hardware.lights import Lights

PATIENCE_S = 15.0
"""How long a button is waited for."""

SETTLES_S = 0.3
"""A press has bounced to its end after so long."""

Ask = Callable[[str], str]
"""Asks the host and returns the answer."""

Tell = Callable[[str], None]


def touch_checks(
    config: TableConfig, tell: Tell, ask: Ask | None, simulation: Simulation | None = None
) -> Iterator[tuple[str, Check]]:
    """Yield, with the name of its seat, whether each button is heard and each light seen.

    Parameters
    ----------
    config
        The table.
    tell, ask
        Speak to the host; without ``ask``, where nobody is there to answer, the pins are opened and no more.
    simulation
        What stands in for a Pi, if anything does.
    """
    simulation = simulation or Simulation()
    heard: SimpleQueue[Press] = SimpleQueue()
    controls = config.controls
    if not any(place.buttons or place.light.pins for place in controls.seats) and controls.strip is None:
        yield "table", Check("buttons", None, phrase("none are wired; phones stand in for them"))
        return
    try:
        with ExitStack() as undo:
            lights = undo.enter_context(Lights(controls, simulation.pins, simulation.clock))
            buttons = undo.enter_context(Buttons(controls, heard.put, simulation.pins, simulation.clock))
            if ask is None:
                yield from closed(buttons)
                return
            for seat, place in controls.places.items():
                name = config.seats[seat - 1] if seat <= len(config.seats) else f"seat {seat}"
                for number in range(1, len(place.buttons) + 1):
                    tell(f"{name}: press button {number} (GPIO {place.buttons[number - 1].pin})")
                    yield name, pressed(buttons, heard, seat, number)
                if seat in lights.showing():
                    lights.show(Pattern.DRAW, seat, 2)
                    yield name, seen(ask(f"{name}: does the light flash twice, again and again? [y/n] "))
                    lights.show(Pattern.OFF, seat)
    except NoPins as error:
        yield "table", Check("pins", False, str(error), "See companion wiring CONFIG.", essential=True)


def closed(buttons: Buttons) -> Iterator[tuple[str, Check]]:
    """Yield that the pins are there, and which buttons are held, or wired to something else."""
    held = [state for state in buttons.states() if state.closed]
    says = phrase_n(
        "%(count)s is there, and nobody was asked to press it",
        "%(count)s are there, and nobody was asked to press them",
        len(buttons.states()),
    )
    yield "table", Check("buttons", fine=None if not held else False, says=says, essential=True)
    for state in held:
        mend = phrase("See whether something lies on it, or whether its wire touches ground.")
        yield (
            phrase("seat %(seat)s", seat=state.seat),
            Check(
                phrase("button %(button)s", button=state.button),
                False,
                phrase("is closed all the time"),
                mend,
                True,
            ),
        )


def pressed(buttons: Buttons, heard: SimpleQueue[Press], seat: int, button: int) -> Check:
    """Return whether one button is pressed in time, and how it bounces."""
    what, until = f"button {button}", time.monotonic() + PATIENCE_S
    while (left := until - time.monotonic()) > 0:
        try:
            press = heard.get(timeout=left)
        except Empty:
            break
        if (press.seat, press.button) == (seat, button):
            time.sleep(SETTLES_S)
            state = next(s for s in buttons.states() if (s.seat, s.button) == (seat, button))
            mend = state.fault and f"{state.fault[0].upper()}{state.fault[1:]}."
            return Check(what, not mend, f"heard; {state.bounces}", mend, essential=not mend)
        mend = "Exchange their wires, or their pins in the table's file."
        says = f"that was seat {press.seat}, button {press.button}"
        return Check(what, False, says, mend, essential=True)
    mend = "See to its two wires: one to its pin, one to ground (companion wiring shows which)."
    return Check(what, False, f"not heard within {PATIENCE_S:.0f} s", mend, essential=True)


def seen(answer: str) -> Check:
    """Return whether the host has seen a light."""
    if answer.strip().lower().startswith(("y", "j")):
        return Check("light", fine=True, says="seen")
    mend = "See whether it is the right way round, and to its resistor and wires (companion wiring)."
    return Check("light", fine=False, says="not seen", mend=mend)
