"""Remote calls from the pages to the table over a Unix socket.

``TableClient(path)`` and ``WizardClient(path)`` are clients; ``serve(path, table, wizard)`` answers them.
``interface`` declares the operations.  Requests and answers are lines of JSON, with bytes after them if they
have any.
"""

from companion.rpc.client import TableClient, WizardClient
from companion.rpc.interface import TableService, WizardService
from companion.rpc.server import Server, serve

__all__ = ["Server", "TableClient", "TableService", "WizardClient", "WizardService", "serve"]
