"""Fault injection: kills, power cuts, broken input, hostile clients and load, and what was lost by them.

Each drill returns an ``Outcome``; ``halls`` has the drills of a hall.
"""
