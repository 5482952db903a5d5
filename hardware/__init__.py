"""The table's devices and their simulated counterparts."""
