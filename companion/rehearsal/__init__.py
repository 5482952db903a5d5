"""Rehearsals: whole games of bots, whose verdicts are compared with the ground truth."""
