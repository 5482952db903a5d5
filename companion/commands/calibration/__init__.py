"""The steps of ``companion calibrate``, each in its own file with ``arguments`` and ``run``."""
