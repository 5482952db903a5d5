"""Training of the reader's three networks from drawn pictures alone.

Of its files ``networks``, ``course``, ``detector``, ``classifier``, ``fine classifier``,
``varied`` and ``__main__`` need torch, and ``eight_bit`` needs onnx.
"""
