"""Remote calls from the pages to the table, over a Unix socket, and nothing else between them.

``TableClient(path)`` and ``WizardClient(path)`` are clients; ``serve(path, table, wizard)`` answers them.
What can be asked stands in ``interface``.  A request is one line of JSON and so is its answer, each with
bytes after it where it has any.
"""

from companion.rpc.client import TableClient, WizardClient
from companion.rpc.interface import TableService, WizardService
from companion.rpc.server import Server, serve

__all__ = ["Server", "TableClient", "TableService", "WizardClient", "WizardService", "serve"]
