"""Evaluation of the shipped networks: metrics of the reader on labelled photographs and drawn pictures.

``truth`` reads ground truth, ``scoring`` compares a reading with it, ``results`` sums scores up to metrics,
``metric`` is one value with its target.  Each other module is one set of pictures.  No picture here is used
for training.  ``companion bench`` prints the metrics.
"""
