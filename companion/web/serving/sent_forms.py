"""The hidden fields of every form: the CSRF token, and a key by which a form that is sent twice counts once.

A page gives each of its forms a new key.  The same content with the same key is a repeat: of an impatient
second tap, or of a browser that never got the answer.  A form whose content was corrected is none.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from flask import Flask, Response, g, request, session
from flask_wtf.csrf import CSRFProtect, generate_csrf
from gevent.lock import BoundedSemaphore
from markupsafe import Markup

KEY_FIELD = "form_key"
"""The field with a form's key."""

MAX_REMEMBERED_FORMS = 1000
"""Most forms that are remembered; the one sent longest ago is dropped first."""

HIDDEN_FIELD = Markup('<input type="hidden" name="{}" value="{}" autocomplete="off">')
"""A hidden field, which no reload of the page fills in with its former value."""


Answer = tuple[bytes, int, dict[str, str]]
"""Body, status and headers of an answer."""


@dataclass(slots=True)
class SentForm:
    """A form that was sent: the session before it, and once it is done, its answer and the session after it.

    ``handling`` is held by the request that handles it; repeats wait for it.
    """

    before: dict[str, Any]
    after: dict[str, Any] = field(default_factory=dict)
    answer: Answer | None = None
    handling: BoundedSemaphore = field(default_factory=BoundedSemaphore)

    def repeated(self, answer: Answer) -> Response:
        """Return the answer once more; a browser that never got it gets the changes of its session too."""
        if dict(session) == self.before:
            session.clear()
            session.update(deepcopy(self.after))
        return Response(*answer)


@dataclass(slots=True)
class SentForms:
    """The forms that were sent, by their fingerprints, the latest last."""

    forms: OrderedDict[str, SentForm] = field(default_factory=OrderedDict)

    def receive(self) -> Response | None:
        """Return the answer to a repeat of a form; remember any other form that has a key."""
        if request.method != "POST" or not request.form.get(KEY_FIELD):
            return None
        sent = self.forms.setdefault(fingerprint(), SentForm(deepcopy(dict(session))))
        if len(self.forms) > MAX_REMEMBERED_FORMS:
            self.forms.popitem(last=False)
        sent.handling.acquire()
        g.sent_form = sent
        return sent.repeated(sent.answer) if sent.answer else None

    def remember(self, response: Response) -> Response:
        """Keep the answer to a form, unless it is a refusal, which changed nothing."""
        sent: SentForm | None = g.get("sent_form")
        if sent is not None and not sent.answer and not is_refusal(response):
            headers = {
                name: response.headers[name]
                for name in ("Content-Type", "Location")
                if name in response.headers
            }
            sent.after = deepcopy(dict(session))
            sent.answer = response.get_data(), response.status_code, headers
        return response

    def release(self, _error: BaseException | None) -> None:
        """Let the repeats of a form go on."""
        if (sent := g.pop("sent_form", None)) is not None:
            sent.handling.release()


def fingerprint() -> str:
    """Return what identifies the form that is sent: its address, its key and all it says."""
    files = [(name, file.filename) for name, file in request.files.items(multi=True)]
    said = request.path, [*request.form.items(multi=True)], files, request.content_length
    return hashlib.sha256(repr(said).encode()).hexdigest()


def is_refusal(response: Response) -> bool:
    """Return whether an answer to a form is neither a redirect nor JSON, or refuses what was asked."""
    if response.is_json:
        return response.status_code >= 400 or response.get_json().get("accepted") is False
    refused = any(category == "bad" for category, _text in session.get("_flashes", ()))
    return refused or response.location is None


def form_keys() -> Markup:
    """Return the hidden fields of a form."""
    keys = ("csrf_token", generate_csrf()), (KEY_FIELD, secrets.token_urlsafe(12))
    return Markup("").join(HIDDEN_FIELD.format(*one) for one in keys)


def install_forms(app: Flask, *free: Any) -> None:
    """Protect the forms of an app, other than those of the blueprints and views in ``free``."""
    forms = SentForms()
    app.before_request(forms.receive)
    protect = CSRFProtect(app)
    for one in free:
        protect.exempt(one)
    app.after_request(forms.remember)
    app.teardown_request(forms.release)
    app.jinja_env.globals["form_keys"] = form_keys
