"""The pages on which a host sets the table up, one step after another: ``/host/table``."""

from companion.web.wizard.pages import pages

__all__ = ["pages"]
