"""The interface for programs: all data of the pages, and calls and rulings with a token."""

from companion.web.api.routes import pages

__all__ = ["pages"]
