"""Which tiles form which tableau, in which row and column, and before which seat."""
