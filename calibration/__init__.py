"""Calibration of cameras and tables, enrolment of tile sets, and training of the reader's networks.

For a table: ``sheets`` to print, ``markers`` and ``edges`` that measure them, ``lens``, ``table``, ``light``,
``enrolment``, and ``profile``, the file that keeps the result.  For the reader: ``drawing`` makes synthetic
pictures with ground truth, ``training`` trains the networks on them, ``evaluation`` measures the reader.
"""
