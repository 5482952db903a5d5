"""The table's side: what its log holds is published, in order, whenever a broker can be reached.

It runs as a process of its own, so that nothing here can hold up the table; the log is the outbox.
"""
