"""Where everything is put together: the only unit that names concrete devices."""

from companion.bootstrap.devices import Hardware, Simulation, opened
from companion.bootstrap.games import begun, resumed
from companion.bootstrap.places import log_of, socket_of
from companion.bootstrap.running import Run, run

__all__ = ["Hardware", "Run", "Simulation", "begun", "log_of", "opened", "resumed", "run", "socket_of"]
