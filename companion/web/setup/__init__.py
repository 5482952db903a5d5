"""The pages on which a host sets the table up, one step after another: ``/host/table``."""

from companion.web.setup.routes import pages

__all__ = ["pages"]
