"""Export of trained networks to ONNX, and their quantization to eight bits.

A quantized network has a quarter of the size and is faster on one thread.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from companion.vision.networks import standardised

Inputs = Mapping[str, NDArray[np.float32]]
"""The inputs of a network by their names."""


def write_onnx(
    net: torch.nn.Module, example: Mapping[str, torch.Tensor], path: Path, free: dict[int, str]
) -> None:
    """Write a network as ONNX in floating point.

    ``example`` are inputs by their names; ``free`` names the variable axes by their index.
    """
    with warnings.catch_warnings():
        # both warn that the exporter is old; the new one needs one more package
        for start in ("You are using the legacy TorchScript", "The feature will be removed"):
            warnings.filterwarnings("ignore", start, DeprecationWarning)
        torch.onnx.export(
            net,
            tuple(example.values()),
            str(path),
            input_names=list(example),
            output_names=["y"],
            dynamic_axes={
                name: {axis: f"{label} of {name}" if axis else label for axis, label in free.items()}
                for name in (*example, "y")
            },
            dynamo=False,
        )


class CalibrationInputs(CalibrationDataReader):
    """Typical inputs of a network, from which the ranges of its activations are taken."""

    def __init__(self, inputs: Iterable[Inputs]) -> None:
        self._rest = iter(inputs)

    def get_next(self) -> Inputs | None:
        """Return the next inputs, ``None`` after the last."""
        return next(self._rest, None)


def write_quantized(path: Path, inputs: Iterable[Inputs], out: Path, exact: int) -> None:
    """Write a network in eight bits, its last ``exact`` layers in floating point.

    ``path`` is the network as ONNX in floating point, ``inputs`` are those that set the ranges of
    activations. Weights take seven of the eight bits, as processors without VNNI saturate when they add pairs
    of products.
    """
    with TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        quant_pre_process(str(path), str(plain), skip_symbolic_shape=True)
        layers = [node.name for node in onnx.load(str(plain)).graph.node if node.op_type in {"Conv", "Gemm"}]
        quantize_static(
            str(plain),
            str(out),
            CalibrationInputs(inputs),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            reduce_range=True,
            nodes_to_exclude=layers[len(layers) - exact :],
        )


def example_crops(side: int) -> dict[str, torch.Tensor]:
    """Return the inputs of a network of crops, for two empty ones."""
    return {"x": torch.from_numpy(standardised(np.zeros((2, side, side), np.uint8)))}


def add_feature_output(path: Path) -> None:
    """Make the inputs of a network's last layer its second output, the features for enrolled sets."""
    network = onnx.load(str(path))
    name = next(node.output[0] for node in network.graph.node if node.op_type == "Flatten")
    network.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
    onnx.save(network, str(path))
