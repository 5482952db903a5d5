"""Drills of a hall: an evening of several tables runs by itself while harm is done to its parts.

At the end the hall's standings must be those that follow from the tables' own logs, byte for byte.
"""
