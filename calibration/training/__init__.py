"""Training of the reader's networks from drawn pictures alone.

``python -m calibration.training`` runs it: ``scenes`` draws labelled pictures, ``targets`` and ``crops`` make
training examples of them, ``networks`` has the architectures, ``detector`` and ``classifiers`` train them
with ``optimise``, ``export`` writes them as quantized ONNX, and ``evidence`` fits the model of boards.
``signs`` trains the few-shot network.  ``calibration.evaluation`` measures the result; the shipped networks,
with their model card, are in companion/vision/models.

``networks``, ``augmentation``, ``classifiers``, ``detector``, ``evidence``, ``export``, ``optimise``,
``signs.embedding`` and the two commands need torch, and ``export`` also onnx.
"""
