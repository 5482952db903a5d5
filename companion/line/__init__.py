"""Remote calls from the pages to the table, over a Unix socket, and nothing else between them.

``Line(path)`` and ``WizardLine(path)`` are clients; ``serve(path, table, wizard)`` answers them.  What can
be asked stands in ``interface``.  A request is one line of JSON and so is its answer, each with bytes after
it where it has any.
"""

from companion.line.client import Line, WizardLine
from companion.line.interface import TableService, WizardService
from companion.line.server import Server, serve

__all__ = ["Line", "Server", "TableService", "WizardLine", "WizardService", "serve"]
