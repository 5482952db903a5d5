"""What is said where a page cannot be had, in words for whoever asked."""

from __future__ import annotations

from collections.abc import Mapping

from werkzeug.exceptions import HTTPException

from companion.web.language import N_, _

FAULTS: Mapping[int, tuple[str, str]] = {
    400: (N_("That did not work"), N_("The page sent what makes no sense here. Reload it, and try again.")),
    403: (N_("Not from this phone"), N_("Scan the code of your seat, or sign in as host or referee.")),
    404: (N_("There is no such page"), N_("The address is mistyped, or what it showed is gone.")),
    405: (N_("That did not work"), N_("This address is there for programs, which ask for it otherwise.")),
    413: (N_("Too large"), N_("That is more than the table takes at once.")),
    429: (N_("Too many tries"), N_("Wait a little, and try again.")),
    503: (N_("Not just now"), N_("The table does not answer, or it is too busy. Try again in a moment.")),
}
"""Title and text for each status; of another one that of 400."""


def told(error: HTTPException) -> tuple[str, str]:
    """Return title and text of an error, for people: its own text, where whoever raised it gave one."""
    title, text = FAULTS.get(error.code or 400, FAULTS[400])
    own = error.description if error.description != type(error).description else None
    return _(title), own or _(text)
