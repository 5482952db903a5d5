"""Measurements that ``companion bench`` prints: each returns figures and what they must reach."""
