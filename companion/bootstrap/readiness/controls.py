"""Readiness checks of the controls: the host presses every button and looks at every light."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from queue import Empty, SimpleQueue

from companion.bootstrap.devices import Simulation
from companion.config.controls import Button, Controls
from companion.config.table import TableConfig
from companion.errors import NoPins
from companion.model.patterns import Pattern
from companion.model.phrases import phrase, phrase_n
from hardware.buttons import Buttons, Press
from hardware.cameras.checks import Check
from hardware.lights import Lights

PRESS_TIMEOUT_S = 15.0
"""Seconds to wait for a press."""

BOUNCE_SETTLE_S = 0.3
"""Seconds after which the bouncing of a press has ended."""

POLL_S = 0.01
"""Seconds between two looks at the contacts."""

HELD_S = 1.0
"""Seconds for which a contact must stay closed to count as held, not pressed just now."""

Ask = Callable[[str], str]
"""Asks the host a question and returns the answer."""

Tell = Callable[[str], object]


def control_checks(
    config: TableConfig, tell: Tell, ask: Ask | None, simulation: Simulation | None = None
) -> Iterator[tuple[str, Check]]:
    """Yield whether each button is received and each light is seen, with the name of its seat.

    Parameters
    ----------
    config
        The table.
    tell, ask
        Print to and ask the host; without ``ask`` only the pins are opened.
    simulation
        Replacements of a Raspberry Pi's devices.
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
            plain = without_calls(controls)
            buttons = undo.enter_context(Buttons(plain, heard.put, simulation.pins, simulation.clock))
            if ask is None:
                yield from held_buttons(buttons)
                return
            held = always_closed_buttons(buttons)
            yield from (closed_check(*one) for one in sorted(held))
            for seat, place in controls.places.items():
                name = config.seats[seat - 1] if seat <= len(config.seats) else f"seat {seat}"
                for number in range(1, len(place.buttons) + 1):
                    if (seat, number) in held:
                        continue
                    tell(f"{name}: press button {number} (GPIO {place.buttons[number - 1].pin})")
                    yield name, button_check(buttons, heard, seat, number)
                if seat in lights.showing():
                    lights.show(Pattern.TEST, seat)
                    question = f"{name}: does the light flash three times, again and again? [y/n] "
                    yield name, light_check(ask(question))
                    lights.show(Pattern.OFF, seat)
    except NoPins as error:
        yield "table", Check("pins", False, str(error), "See companion wiring CONFIG.", essential=True)


def without_calls(controls: Controls) -> Controls:
    """Return controls whose buttons report every press as short, whatever gestures they call by."""
    places = (
        replace(place, buttons=tuple(Button(one.pin) for one in place.buttons)) for place in controls.seats
    )
    return replace(controls, seats=tuple(places))


def held_buttons(buttons: Buttons) -> Iterator[tuple[str, Check]]:
    """Yield the number of buttons, and each button whose contact is closed all the time."""
    held = always_closed_buttons(buttons)
    says = phrase_n(
        "%(count)s is there, and nobody was asked to press it",
        "%(count)s are there, and nobody was asked to press them",
        len(buttons.states()),
    )
    yield "table", Check("buttons", fine=None if not held else False, says=says, essential=True)
    yield from (closed_check(*one) for one in sorted(held))


def always_closed_buttons(buttons: Buttons) -> set[tuple[int, int]]:
    """Return the seat and the number of each button whose contact stays closed for ``HELD_S``."""
    held, until = closed_buttons(buttons), time.monotonic() + HELD_S
    while held and time.monotonic() < until:
        time.sleep(POLL_S)
        held &= closed_buttons(buttons)
    return held


def closed_check(seat: int, button: int) -> tuple[str, Check]:
    """Return the failed check of a button whose contact is always closed, with its seat."""
    mend = phrase(
        "See whether something lies on it, whether its wire touches ground, and whether its contact is a "
        "normally open one."
    )
    what = phrase("button %(button)s", button=button)
    return phrase("seat %(seat)s", seat=seat), Check(
        what, False, phrase("is closed all the time"), mend, essential=True
    )


def closed_buttons(buttons: Buttons) -> set[tuple[int, int]]:
    """Return the seat and the number of each button whose contact is closed now."""
    return {(state.seat, state.button) for state in buttons.states() if state.closed}


def button_check(buttons: Buttons, heard: SimpleQueue[Press], seat: int, button: int) -> Check:
    """Return whether one button is pressed in time, and its bounces."""
    what, until = f"button {button}", time.monotonic() + PRESS_TIMEOUT_S
    while (left := until - time.monotonic()) > 0:
        try:
            press = heard.get(timeout=left)
        except Empty:
            break
        if (press.seat, press.button) == (seat, button):
            time.sleep(BOUNCE_SETTLE_S)
            state = next(s for s in buttons.states() if (s.seat, s.button) == (seat, button))
            mend = state.fault and f"{state.fault[0].upper()}{state.fault[1:]}."
            return Check(what, not mend, f"heard; {state.bounces}", mend, essential=not mend)
        mend = "Exchange their wires, or their pins in the table's file."
        says = f"that was seat {press.seat}, button {press.button}"
        return Check(what, False, says, mend, essential=True)
    mend = "See to its two wires: one to its pin, one to ground (companion wiring shows which)."
    return Check(what, False, f"not heard within {PRESS_TIMEOUT_S:.0f} s", mend, essential=True)


def light_check(answer: str) -> Check:
    """Return whether the host's answer confirms that a light was seen."""
    if answer.strip().lower().startswith(("y", "j")):
        return Check("light", fine=True, says="seen")
    mend = (
        "See whether it is the right way round, and to its resistors and wires (companion wiring): an RGB "
        "LED flashes red, green, blue."
    )
    return Check("light", fine=False, says="not seen", mend=mend)
