"""The interface for programs: everything that the pages know, and calls and rulings with a token."""

from companion.web.api.routes import pages

__all__ = ["pages"]
