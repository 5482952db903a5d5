"""Help on every page, served from the device itself."""

from __future__ import annotations

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from companion.web.site import here

pages = Blueprint("guide", __name__)


@pages.get("/help")
def shown() -> ResponseReturnValue:
    """Show what the pages can do, and the card of the game under way."""
    story = here().story
    lines = story.game.card(story.state.options) if story else ()
    card = [line.partition(": ")[::2] for line in lines]
    title = story.game.title if story else ""
    return render_template("help.html", card=card, title=title)
