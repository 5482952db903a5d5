"""Takes the training of a network up again from its quantized form, as it is shipped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

Floats = NDArray[np.float32]

MIN_VARIANCE = 1e-6
"""Least variance of a channel: one that never changes keeps its bias alone."""


def resume(net: nn.Module, path: Path, batches: Iterable[tuple[Tensor, ...]]) -> None:
    """Give a network the weights of its quantized form; raise ValueError where that is of another network.

    The export folds each batch normalisation into the layer before it.  It gets the mean and the variance of
    what that layer answers to ``batches``, inputs of the network, as both its statistics and its parameters:
    so the network's outputs stay as they were, and training can go on.
    """
    layers = list(normalised_layers(net))
    stored = list(quantized_layers(path))
    if [tuple(layer.weight.shape) for layer, _ in layers] != [weight.shape for weight, _ in stored]:
        raise ValueError(f"{path} holds another network than {type(net).__name__}")
    for (layer, norm), (weight, bias) in zip(layers, stored, strict=True):
        layer.weight.data = torch.from_numpy(weight)
        if norm is None:
            layer.bias = nn.Parameter(torch.from_numpy(bias))
        else:
            set_norm(norm, torch.zeros(len(bias)), torch.ones(len(bias)), torch.from_numpy(bias))
    norms = [norm for _, norm in layers if norm is not None]
    for norm, (mean, variance) in zip(norms, statistics(net, norms, batches), strict=True):
        set_norm(norm, mean, variance, norm.bias.data + mean)


def set_norm(norm: nn.BatchNorm2d, mean: Tensor, variance: Tensor, bias: Tensor) -> None:
    """Let a batch normalisation take away a mean and a variance, (channels,), and give them back."""
    norm.running_mean, norm.running_var = mean.clone(), variance - norm.eps
    norm.weight.data, norm.bias.data = variance.sqrt(), bias.clone()


def normalised_layers(net: nn.Module) -> Iterator[tuple[nn.Module, nn.BatchNorm2d | None]]:
    """Yield the layers of a network with weights, each with the batch normalisation after it, if any.

    They come in the order in which the network defines them, which is that in which it runs them.
    """
    modules = [one for one in net.modules() if isinstance(one, (nn.Conv2d, nn.Linear, nn.BatchNorm2d))]
    for one, after in zip(modules, [*modules[1:], None], strict=True):
        if not isinstance(one, nn.BatchNorm2d):
            yield one, after if isinstance(after, nn.BatchNorm2d) else None


def quantized_layers(path: Path) -> Iterator[tuple[Floats, Floats]]:
    """Yield the weights and the bias of each convolution and matrix product of a network, in their order."""
    graph = onnx.load(str(path)).graph
    constants = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    makers = {name: node for node in graph.node for name in node.output}

    def value(name: str) -> Floats:
        """Return a constant in floating point."""
        if name in constants:
            return np.array(constants[name], np.float32)
        whole, scale, zero = (constants[part].astype(np.float32) for part in makers[name].input)
        across = (-1, *[1] * (whole.ndim - 1)) if scale.size > 1 else ()  # one for each output channel
        return np.asarray((whole - zero.reshape(across)) * scale.reshape(across), np.float32)

    for node in graph.node:
        if node.op_type in {"Conv", "Gemm"}:
            yield value(node.input[1]), value(node.input[2])


def statistics(
    net: nn.Module, norms: list[nn.BatchNorm2d], batches: Iterable[tuple[Tensor, ...]]
) -> list[tuple[Tensor, Tensor]]:
    """Return the mean and the variance of each channel of what some normalisations get, (channels,) each."""
    seen: dict[nn.Module, list[Tensor]] = {norm: [] for norm in norms}

    def note(norm: nn.Module, given: tuple[Tensor]) -> None:
        """Note the first and the second moment of each channel."""
        seen[norm].append(torch.stack([(given[0] ** power).mean((0, 2, 3)) for power in (1, 2)]))

    hooks = [norm.register_forward_pre_hook(note) for norm in norms]
    training = net.training
    net.eval()
    with torch.no_grad():
        for batch in batches:
            net(*batch)
    net.train(training)
    for hook in hooks:
        hook.remove()
    moments = [torch.stack(seen[norm]).mean(0) for norm in norms]
    return [(mean, (square - mean**2).clamp(min=MIN_VARIANCE)) for mean, square in moments]
