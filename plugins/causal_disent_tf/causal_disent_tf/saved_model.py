"""A SavedModel on disk to TensorFlow functions, after a look at what it would run.

TensorFlow runs the parts of a graph that its outputs, its initialisation and the reading of its variables need,
with all that these call. The rest of a graph, such as the part that would save it again, is never run.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.files import inside, read_bounded, unusable
from causal_disent_tf._tensorflow import quiet, tensorflow

ARITHMETIC = """
Abs AccumulateNV2 Acos Acosh Add AddN AddV2 Asin Asinh Atan Atan2 Atanh Ceil ClipByValue Complex ComplexAbs Conj
Cos Cosh Cross Cumprod Cumsum CumulativeLogsumexp Digamma Div DivNoNan Erf Erfc Erfinv Exp Expm1 Floor FloorDiv
FloorMod Imag Inv Invert L2Loss Lgamma Log Log1p Maximum Minimum Mod Mul MulNoNan Ndtri Neg NextAfter Pow Real
RealDiv Reciprocal Rint Round Rsqrt Sign Sin Sinh Sqrt Square SquaredDifference Sub Tan Tanh TruncateDiv
TruncateMod Xdivy Xlog1py Xlogy
"""
COMPARISON = """
All Any ApproximateEqual BitwiseAnd BitwiseOr BitwiseXor CheckNumerics CheckNumericsV2 Equal Greater GreaterEqual
IsFinite IsInf IsNan Less LessEqual LogicalAnd LogicalNot LogicalOr NotEqual Select SelectV2 Where
"""
REDUCTION = """
ArgMax ArgMin BatchMatMul BatchMatMulV2 BatchMatMulV3 Bincount Bucketize DenseBincount Einsum EuclideanNorm
HistogramFixedWidth MatMul Max Mean Min Prod SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum Sum TopK
TopKV2 UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum
"""
LINEAR_ALGEBRA = """
Cholesky Diag DiagPart LogMatrixDeterminant MatrixBandPart MatrixDeterminant MatrixDiag MatrixDiagPart
MatrixDiagPartV2 MatrixDiagPartV3 MatrixDiagV2 MatrixDiagV3 MatrixInverse MatrixSetDiag MatrixSetDiagV2
MatrixSetDiagV3 MatrixSolve MatrixTriangularSolve Qr SelfAdjointEigV2 Svd
"""
NETWORK_LAYERS = """
AvgPool AvgPool3D BiasAdd BiasAddV1 Conv Conv2D Conv2DBackpropInput Conv2DBackpropInputV2 Conv3D
Conv3DBackpropInputV2 DepthwiseConv2dNative Dilation2D Elu FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 LRN
LeakyRelu LogSoftmax MaxPool MaxPool3D MaxPoolV2 MaxPoolWithArgmax Relu Relu6 Selu Sigmoid Softmax
SoftmaxCrossEntropyWithLogits Softplus Softsign SparseSoftmaxCrossEntropyWithLogits
"""
ARRAYS = """
BatchToSpace BatchToSpaceND Bitcast BroadcastArgs BroadcastGradientArgs BroadcastTo Cast Concat ConcatOffset
ConcatV2 Const DepthToSpace DynamicPartition DynamicStitch Empty EnsureShape ExpandDims ExtractImagePatches Fill
Gather GatherNd GatherV2 GuaranteeConst Identity IdentityN InvertPermutation LinSpace ListDiff MirrorPad OneHot
OnesLike Pack Pad PadV2 Placeholder PlaceholderV2 PlaceholderWithDefault PreventGradient Range Rank Reshape
Reverse ReverseSequence ReverseV2 Roll ScatterNd Shape ShapeN Size Slice SpaceToBatch SpaceToBatchND SpaceToDepth
Split SplitV Squeeze StopGradient StridedSlice TensorScatterAdd TensorScatterMax TensorScatterMin
TensorScatterSub TensorScatterUpdate Tile Transpose Unique UniqueV2 Unpack ZerosLike
"""
IMAGES = """
AdjustContrastv2 AdjustHue AdjustSaturation CropAndResize HSVToRGB RGBToHSV ResizeArea ResizeBicubic
ResizeBilinear ResizeNearestNeighbor
"""
RANDOM = """
Multinomial ParameterizedTruncatedNormal RandomGamma RandomPoissonV2 RandomShuffle RandomStandardNormal
RandomUniform RandomUniformInt RngReadAndSkip RngSkip StatefulStandardNormal StatefulStandardNormalV2
StatefulTruncatedNormal StatefulUniform StatefulUniformFullInt StatefulUniformInt StatelessMultinomial
StatelessRandomGetAlg StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg StatelessRandomNormal
StatelessRandomNormalV2 StatelessRandomUniform StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2
StatelessRandomUniformInt StatelessRandomUniformIntV2 StatelessRandomUniformV2 StatelessTruncatedNormal
StatelessTruncatedNormalV2 TruncatedNormal
"""
VARIABLES = """
Assign AssignAdd AssignAddVariableOp AssignSub AssignSubVariableOp AssignVariableOp DisableCopyOnRead
IsVariableInitialized ReadVariableOp ResourceGather ResourceGatherNd VarHandleOp VarIsInitializedOp Variable
VariableShape VariableV2
"""
CONTROL_FLOW = """
Assert Case ControlTrigger Enter Exit FakeParam If LoopCond Merge NextIteration NoOp PartitionedCall RefEnter
RefExit RefIdentity RefMerge RefNextIteration RefSwitch StatefulPartitionedCall StatelessCase StatelessIf
StatelessWhile Switch While
"""
LISTS = """
EmptyTensorList StackPopV2 StackPushV2 StackV2 TensorArrayCloseV3 TensorArrayConcatV3 TensorArrayGatherV3
TensorArrayReadV3 TensorArrayScatterV3 TensorArraySizeV3 TensorArraySplitV3 TensorArrayV3 TensorArrayWriteV3
TensorListConcatV2 TensorListElementShape TensorListFromTensor TensorListGather TensorListGetItem
TensorListLength TensorListPopBack TensorListPushBack TensorListReserve TensorListResize TensorListScatterV2
TensorListSetItem TensorListSplit TensorListStack
"""

#: All of them.
ALLOWED = frozenset(
    " ".join(
        (
            ARITHMETIC,
            COMPARISON,
            REDUCTION,
            LINEAR_ALGEBRA,
            NETWORK_LAYERS,
            ARRAYS,
            IMAGES,
            RANDOM,
            VARIABLES,
            CONTROL_FLOW,
            LISTS,
        )
    ).split()
)

#: Allowed for reading a model's own variables, and nowhere else.
CHECKPOINT_READERS = frozenset({"RestoreV2"})


#: The collection of variables that are initialised on loading, as messages; other collections name nodes.
LOCAL_VARIABLES = "local_variables"
#: The attribute of functions that say they compute the same as others.
EXCHANGEABLE = "api_implements"


def refused_operations(saved_model: Any) -> list[str]:
    """Return the operations that would run and are not allowed, sorted.

    Args:
        saved_model: a ``SavedModel`` message.
    """
    found: set[str] = set()
    for meta_graph in saved_model.meta_graphs:
        graph = _Graph(meta_graph.graph_def)
        found |= graph.operations(graph.needed(_outputs(meta_graph))) - ALLOWED
        found |= graph.called(_concrete_functions(meta_graph)) - ALLOWED
        found |= _refused_in_restoring(meta_graph.saver_def, graph)
    return sorted(found)


class _Graph:
    """The nodes of a graph and the functions that they may call, by name."""

    def __init__(self, graph_def: Any) -> None:
        self._nodes: dict[str, Any] = {node.name: node for node in graph_def.node}
        self._functions: dict[str, Any] = {f.signature.name: f for f in graph_def.library.function}

    def needed(self, tensors: Iterable[str], given: str = "") -> list[Any]:
        """Return the nodes that computing these tensors runs; the value of the node `given` is not computed."""
        seen, waiting, nodes = {given}, [_node_name(tensor) for tensor in tensors], []
        while waiting:
            name = waiting.pop()
            if name not in seen and name in self._nodes:
                seen.add(name)
                nodes.append(self._nodes[name])
                waiting += map(_node_name, self._nodes[name].input)
        return nodes

    def operations(self, nodes: Iterable[Any]) -> set[str]:
        """Return what these nodes run, with the functions that they call."""
        nodes = list(nodes)
        own = {node.op for node in nodes} - self._functions.keys()
        return own | self.called(name for node in nodes for name in _functions_of(node))

    def called(self, functions: Iterable[str]) -> set[str]:
        """Return the operations of these functions and of those that they call."""
        operations: set[str] = set()
        seen, waiting = set(), list(functions)
        while waiting:
            name = waiting.pop()
            if name in seen or name not in self._functions:
                continue
            seen.add(name)
            if EXCHANGEABLE in self._functions[name].attr:
                waiting += self._exchangeable()
            # All of them: a function also runs operations that its outputs do not need, if they have effects.
            for node in self._functions[name].node_def:
                operations.add(node.op)
                waiting += _functions_of(node)
        return operations - self._functions.keys()

    def _exchangeable(self) -> list[str]:
        """Return the functions that TensorFlow's optimizer may take in place of one another."""
        return [name for name, function in self._functions.items() if EXCHANGEABLE in function.attr]

    def source(self, tensor: str) -> str:
        """Return the node whose value a tensor is, passed on unchanged."""
        name, seen = _node_name(tensor), set()
        while name in self._nodes and self._nodes[name].op == "Identity" and name not in seen:
            seen.add(name)
            name = _node_name(next(iter(self._nodes[name].input), ""))
        return name


def _node_name(tensor: str) -> str:
    """``^name`` (to be run before) and ``name:2`` to ``name``."""
    return tensor.removeprefix("^").partition(":")[0]


def _functions_of(node: Any) -> Iterator[str]:
    """Yield the functions that a node may call: its own operation may be one, its attributes may name some."""
    yield node.op
    yield from _named_in(node.attr)


def _named_in(attributes: Any) -> Iterator[str]:
    """Yield the functions that attributes name, with those that the attributes of these name."""
    for value in attributes.values():
        for function in [value.func] if value.HasField("func") else value.list.func:
            yield function.name
            yield from _named_in(function.attr)


def _outputs(meta_graph: Any) -> Iterator[str]:
    """Tensors and nodes that are computed on loading, or when a signature is called."""
    for signature in meta_graph.signature_def.values():
        for tensor in signature.outputs.values():
            yield from _tensor_names(tensor)
    for name, collection in meta_graph.collection_def.items():
        yield from collection.node_list.value
        if name == LOCAL_VARIABLES:
            yield from _initialisers(collection)


def _tensor_names(tensor: Any) -> Iterator[str]:
    """Yield a dense tensor's name, or those of the parts of another one."""
    yield tensor.name
    yield tensor.coo_sparse.values_tensor_name
    yield tensor.coo_sparse.indices_tensor_name
    yield tensor.coo_sparse.dense_shape_tensor_name
    for part in tensor.composite_tensor.components:
        yield from _tensor_names(part)


def _initialisers(collection: Any) -> Iterator[str]:
    """Yield what initialises the local variables."""
    from tensorflow.core.framework import variable_pb2

    for data in collection.bytes_list.value:
        variable = variable_pb2.VariableDef.FromString(data)
        yield variable.initializer_name
        yield variable.initial_value_name


def _concrete_functions(meta_graph: Any) -> Iterator[str]:
    """Yield what a SavedModel of TensorFlow 2 can run, on loading or when it is called."""
    objects = meta_graph.object_graph_def
    yield from objects.concrete_functions
    for node in objects.nodes:
        yield from node.function.concrete_functions
        yield node.bare_concrete_function.concrete_function_name


def _refused_in_restoring(saver: Any, graph: _Graph) -> set[str]:
    """What is not allowed in the part that reads the variables: it may read the file that it is given alone."""
    if not saver.restore_op_name:
        return set()
    file = _node_name(saver.filename_tensor_name)
    nodes = graph.needed([saver.restore_op_name], given=file)
    readers = [node for node in nodes if node.op in CHECKPOINT_READERS]
    elsewhere = {node.op for node in readers if not node.input or graph.source(node.input[0]) != file}
    return elsewhere | (graph.operations(nodes) - ALLOWED - CHECKPOINT_READERS)


SAVED_MODEL = "saved_model.pb"
#: Where disentanglement_lib puts it; a SavedModel may also be the folder itself.
PLACES = ("tfhub", ".")
PARTS = ("variables", "assets")
#: What protocol buffers allow.
MAX_GRAPH_BYTES = 2**31 - 1
#: The operation that reads the variables.
RESTORE = "RestoreV2"
#: Random operations that may be given a seed.
SEEDED = (
    "Multinomial",
    "ParameterizedTruncatedNormal",
    "RandomGamma",
    "RandomPoissonV2",
    "RandomShuffle",
    "RandomStandardNormal",
    "RandomUniform",
    "RandomUniformInt",
    "TruncatedNormal",
)


def locate(folder: Path) -> str | None:
    """Return where in `folder` a SavedModel is."""
    return next((place for place in PLACES if (folder / place / SAVED_MODEL).exists()), None)


#: The shape of a tensor: None where a length is open, empty if any shape will do.
Shape = tuple[int | None, ...]


@dataclass(frozen=True)
class Signature:
    """A function of a model.

    Attributes:
        function: named tensors to named tensors.
        model: what the function belongs to, and lives as long as.
    """

    function: Any
    model: Any = field(repr=False)

    def __call__(self, **tensors: Any) -> Mapping[str, Any]:
        return self.function(**tensors)

    @property
    def inputs(self) -> dict[str, Shape]:
        """Name -> shape of what it takes."""
        return _shapes(self.function.structured_input_signature[1])

    @property
    def outputs(self) -> dict[str, Shape]:
        """Name -> shape of what it gives."""
        return _shapes(self.function.structured_outputs)


def _shapes(tensors: Mapping[str, Any]) -> dict[str, Shape]:
    return {
        name: tuple(tensor.shape) if tensor.shape.rank is not None else ()
        for name, tensor in sorted(tensors.items())
    }


def signature_names(folder: Path) -> set[str]:
    """Return the signatures of the SavedModel in `folder`, which is not loaded."""
    model = _parse(_graph_file(folder))
    return {name for meta in model.meta_graphs for name in meta.signature_def}


def load_saved_model(folder: Path, *, trust: bool, seed: int) -> dict[str, Signature]:
    """Return the signatures of the SavedModel in `folder`.

    TensorFlow is given a copy of what was checked, in a folder of its own: nothing can be exchanged in between,
    and files that are not part of the model are not there.

    Args:
        folder: of the model.
        trust: load graphs with operations that are not allowed otherwise.
        seed: of the graph's random operations.
    """
    path = _graph_file(folder)
    place = path.parent.relative_to(folder)
    model = _parse(path)
    if not trust:
        _check(path, model)
    _set_seeds(model, seed)
    with ExitStack() as cleanup:
        target = Path(tempfile.mkdtemp(prefix="causal_disent_tf."))
        cleanup.callback(shutil.rmtree, target, ignore_errors=True)
        (target / SAVED_MODEL).write_bytes(model.SerializeToString())
        for part in PARTS:
            _copy(folder, f"{place}/{part}", target / part)
        signatures = _load(path, target, None if _is_tf2(model) else [])
        if trust:
            # Its operations may read assets whenever they run.
            atexit.register(cleanup.pop_all().close)
        return signatures


def _graph_file(folder: Path) -> Path:
    """Find the file of the graph."""
    place = locate(folder)
    if place is None:
        raise errors.InvalidInput(
            f"The folder {folder} holds no model: there is no {SAVED_MODEL} in it or in {folder / PLACES[0]}."
        )
    return inside(folder, f"{place}/{SAVED_MODEL}")


def _parse(path: Path) -> Any:
    """Parse a SavedModel as TensorFlow does."""
    data = read_bounded(path, MAX_GRAPH_BYTES)
    tensorflow()
    from google.protobuf.message import DecodeError
    from tensorflow.core.protobuf import saved_model_pb2

    # TensorFlow's own parser, so that what is checked and what is run cannot be understood differently.
    try:
        model = saved_model_pb2.SavedModel.FromString(data)
    except DecodeError as error:
        raise unusable(path, f"it is damaged ({error})") from None
    if not model.meta_graphs:
        raise unusable(path, "it holds no graph")
    if not _is_tf2(model) and all(list(meta.meta_info_def.tags) for meta in model.meta_graphs):
        tags = [sorted(meta.meta_info_def.tags) for meta in model.meta_graphs]
        raise unusable(path, f"it has no graph without tags; those that there are have {errors.listing(tags)}")
    return model


def _is_tf2(model: Any) -> bool:
    """Tell whether TensorFlow reads it as a model of version 2."""
    return len(model.meta_graphs) == 1 and model.meta_graphs[0].HasField("object_graph_def")


def _check(path: Path, model: Any) -> None:
    """Raise if the graph runs operations that are not allowed."""
    refused = refused_operations(model)
    if refused:
        raise errors.InvalidInput(
            f"The graph in {path} runs operations that are not known to be harmless: {errors.listing(refused)}. "
            "They could reach files, the network or programs (docs/security.md). If you trust whoever made it, "
            "load it with --trust."
        )


def _set_seeds(model: Any, seed: int) -> None:
    """Seed the random operations that leave it open: the same seed, the same numbers."""
    for meta in model.meta_graphs:
        bodies = [meta.graph_def.node, *(function.node_def for function in meta.graph_def.library.function)]
        for number, node in enumerate(node for body in bodies for node in body):
            if node.op in SEEDED and not node.attr["seed"].i and not node.attr["seed2"].i:
                node.attr["seed"].i, node.attr["seed2"].i = seed, number + 1


def _copy(folder: Path, name: str, target: Path) -> None:
    """Copy a folder of plain files, if it is there."""
    source = inside(folder, name)
    if not source.is_dir():
        return
    target.mkdir()
    for entry in sorted(source.iterdir()):
        path = inside(folder, f"{name}/{entry.name}")
        if path.is_dir() and not path.is_symlink():  # a link to a folder above would be copied without end
            _copy(folder, f"{name}/{entry.name}", target / entry.name)
        elif path.is_file():
            shutil.copyfile(path, target / entry.name)
        else:
            raise unusable(path, "it is no regular file")


def _load(path: Path, target: Path, tags: list[str] | None) -> dict[str, Signature]:
    """Load a checked copy with TensorFlow."""
    try:
        with quiet():  # it warns of every variable of the older kind that it cannot be trained
            loaded = tensorflow().saved_model.load(str(target), tags=tags)
    except Exception as error:  # a damaged graph makes TensorFlow raise errors of many kinds
        text = str(error).replace(str(target), str(path.parent))
        damaged = path.parent / "variables" if RESTORE in text else path
        raise unusable(
            damaged, f"TensorFlow cannot load it: {type(error).__name__}: {_informative_line(text)}"
        ) from None
    return {name: Signature(function, loaded) for name, function in loaded.signatures.items()}


def _informative_line(text: str) -> str:
    """Return what went wrong, without the places in the graph where it did."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("[[")]
    if not lines:
        return "it says nothing more"
    return (lines[-1] if lines[0].startswith("Graph execution error") else lines[0]).rstrip(".")
