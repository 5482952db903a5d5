"""The composition root: the only package that names concrete devices."""
