"""The pages of referees and announcers: every table's clock, and the pairings to read out."""

from __future__ import annotations

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from companion.hall.pages.monitor import hall
from companion.hall.pages.public import views
from companion.model.calls import Order
from companion.web.auth.roles import local_path, role_required
from companion.web.i18n.language import _
from companion.web.services import current_services

ALLOWED_ORDERS = (Order.PAUSE, Order.RESUME, Order.CONFIRM, Order.START)
"""Orders that a referee of the hall may give to a table."""

pages = Blueprint("hall_referee", __name__)


@pages.get("/referee")
@role_required("referee")
def referee() -> ResponseReturnValue:
    """Show all tables, those that wait first, each with its clock to stop."""
    return render_template(
        "referee.html", regions=views().whole_referee(current_services()), **views().shared()
    )


@pages.post("/tables/<table>/order")
@role_required("referee")
def order(table: str) -> ResponseReturnValue:
    """Give a table an order."""
    wanted = request.form.get("order", "")
    if table not in hall().intake.tables or wanted not in ALLOWED_ORDERS:
        abort(400)
    hall().conductor.command(table, wanted)
    flash(_("%(table)s was told. The wall shows when it obeys.", table=table), "good")
    return redirect(local_path(request.form.get("back", "/referee")))


@pages.get("/announcer")
@role_required("announcer")
def announcer() -> ResponseReturnValue:
    """Show the announcer's page: every player's table, and missing players."""
    regions = views().announcer(current_services(), 0)
    return render_template("announcer.html", regions=regions, **views().shared())
