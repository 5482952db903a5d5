"""Training of the reader's two networks from drawn pictures alone.

Nothing here but ``networks``, ``course``, ``finder``, ``namer`` and ``__main__`` needs torch.
"""
