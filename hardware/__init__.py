"""Devices of the table and their simulated twins."""
