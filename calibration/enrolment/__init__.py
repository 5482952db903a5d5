"""Enrolment of hand-made tile sets: from photographs of laid tiles to labelled examples and a report."""
