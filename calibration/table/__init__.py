"""Calibration of the table: its homography from markers or taps, its zones, and the camera's drift."""
