"""Export of trained networks to ONNX, and their quantization to eight bits.

A quantized network has a quarter of the size and is faster on one thread.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process


def write_onnx(net: torch.nn.Module, example: torch.Tensor, path: Path, free: dict[int, str]) -> None:
    """Write a network as ONNX in floating point; ``free`` names the variable axes by their index."""
    with warnings.catch_warnings():
        # both warn that the exporter is old; the new one needs one more package
        for start in ("You are using the legacy TorchScript", "The feature will be removed"):
            warnings.filterwarnings("ignore", start, DeprecationWarning)
        torch.onnx.export(
            net,
            (example,),
            str(path),
            input_names=["x"],
            output_names=["y"],
            dynamic_axes={"x": free, "y": free},
            dynamo=False,
        )


class CalibrationInputs(CalibrationDataReader):
    """Typical inputs of a network, from which the ranges of its activations are taken."""

    def __init__(self, inputs: Sequence[NDArray[np.float32]]) -> None:
        self._rest: Iterator[NDArray[np.float32]] = iter(inputs)

    def get_next(self) -> dict[str, NDArray[np.float32]] | None:
        """Return the next input, ``None`` after the last."""
        following = next(self._rest, None)
        return None if following is None else {"x": following}


def write_quantized(path: Path, inputs: Sequence[NDArray[np.float32]], out: Path, exact: int) -> None:
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


def add_feature_output(path: Path) -> None:
    """Make the inputs of a network's last layer its second output, the features for enrolled sets."""
    network = onnx.load(str(path))
    name = next(node.output[0] for node in network.graph.node if node.op_type == "Flatten")
    network.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
    onnx.save(network, str(path))
