"""Problems of the hall itself, for the director, with their remedies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.hall.hall import Hall
from companion.hall.mqtt import MessageFailures
from companion.web.i18n.language import _, ngettext, translate


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem and its remedy, in the current language; ``more`` has details for an expert."""

    what: str
    do: str
    more: str = ""


def problems(hall: Hall) -> list[Problem]:
    """Return all problems, the worst first."""
    return [*program_problems(hall), *broker_problems(hall)]


def broker_problems(hall: Hall) -> Iterator[Problem]:
    """Yield the problems of broker and disk."""
    link, intake = hall.link, hall.intake
    if link is None or not link.up.is_set():
        what = _("The broker cannot be reached. Tables play on; what happens there follows when it is back.")
        do = _("Look whether Mosquitto runs (systemctl status mosquitto). The hall connects again by itself.")
        yield Problem(what, do, link.fault if link else "")
    if intake.fault:
        do = _("Make room on the hall’s disk. What is missing is asked for again by itself.")
        yield Problem(_("The hall cannot keep what tables send."), do, intake.fault)


def program_problems(hall: Hall) -> Iterator[Problem]:
    """Yield the problems of the hall's own code."""
    again = _("The hall tries again by itself. If this stays, restart it: systemctl restart companion-hall.")
    if hall.conductor.failed:
        do = _("Lead the round yourself with the buttons below. A restart loses nothing.")
        yield Problem(_("Rounds do not go on by themselves."), f"{do} {again}", hall.conductor.failed)
    if hall.intake.failed:
        yield Problem(_("The hall cannot take in what tables send."), again, hall.intake.failed)
    for lost in (hall.intake.failures, hall.link.failures if hall.link else MessageFailures()):
        if lost.count:
            what = ngettext(
                "The hall failed at %(num)s message of a table.",
                "The hall failed at %(num)s messages of tables.",
                lost.count,
            ) % {"num": lost.count}
            do = _("Events that it lacks are asked for again. Compare the wall with the tables named here.")
            yield Problem(what, f"{do} {again}", f"{lost.topic}: {lost.fault}")


def blocked_reason(hall: Hall) -> str:
    """Return why the autopilot cannot go on, empty where it can."""
    return translate(hall.conductor.fault)
