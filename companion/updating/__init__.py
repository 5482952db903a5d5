"""Updates of the Debian package: found, installed, and taken back where the table does not start."""
