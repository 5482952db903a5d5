"""The Debian package: the companion with its Python packages, units, settings and manual."""
