"""The server: sockets, addresses, static files, ready answers, health."""
