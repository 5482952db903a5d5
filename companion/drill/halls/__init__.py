"""Fault injection in a hall: an evening of several tables runs by itself while faults are injected.

At the end the hall's standings must equal those computed from the tables' own logs, byte for byte.
"""
