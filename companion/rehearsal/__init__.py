"""Rehearsals: whole games of simulated players, held against what the simulation knows."""
