"""A newer package of the companion, installed from the host's page between games."""

from __future__ import annotations

from flask import Blueprint, current_app, flash, redirect, request
from flask.typing import ResponseReturnValue

from companion.updating.state import REQUEST, STATE, Outcome, State, read
from companion.web.auth.roles import only
from companion.web.i18n.language import N_, _
from companion.web.pages.backup import busy
from companion.web.site import here

PLACE = "UPDATES"
"""Key of the configuration: the file that tells what is known of updates."""

OUTCOMES = {
    Outcome.RUNNING: N_("Version %(version)s is being installed."),
    Outcome.INSTALLED: N_("Version %(version)s is installed."),
    Outcome.REFUSED: N_("Version %(version)s could not be installed. Nothing was changed."),
    Outcome.ROLLED_BACK: N_("The table did not start with version %(version)s. The earlier version is back."),
    Outcome.BROKEN: N_("The table starts neither with version %(version)s nor with the earlier one."),
}

pages = Blueprint("updates", __name__)


def known() -> State | None:
    """Return what is known of updates; ``None`` where the companion is no Debian package."""
    return read(current_app.config.get(PLACE, STATE))


def told(state: State | None) -> str:
    """Return what became of the last update, as a sentence; nothing where there was none."""
    if state is None or state.outcome not in OUTCOMES:
        return ""
    return _(OUTCOMES[state.outcome], version=state.version)


@pages.post("/host/update")
@only("host")
def update() -> ResponseReturnValue:
    """Ask for the version that the host saw; the root service installs that one or none."""
    site, state = here(), known()
    version = request.form.get("version", "")
    if state is None or not version or version != state.offered:
        flash(_("This version is not offered any more."), "bad")
    elif busy(site):
        flash(_("A game is being played. Update when it is over."), "bad")
    else:
        site.kept.put(REQUEST, version.encode())
        text = _(
            "Version %(version)s is being installed. The pages are away for some minutes.", version=version
        )
        flash(text, "good")
    return redirect("/host")
