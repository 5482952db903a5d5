"""Fault injection: kills, power cuts, broken input, hostile clients and load, and the losses by them.

Each drill returns an ``Outcome``; ``halls`` has the drills of a hall.
"""
