"""Benchmarks of the running product, the sections of ``companion bench``: metrics with their targets.

``sections`` lists them, ``report`` prints them.  The accuracy of the networks is measured in
``calibration.evaluation``.  ``table_process`` and ``hall_tables_process`` are programs that benchmarks start.
"""
