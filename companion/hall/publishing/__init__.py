"""The table's side of a hall: its log is published in order whenever the broker can be reached.

It runs as a process of its own, so that nothing here can hold up the table; the log is the outbox.
"""
