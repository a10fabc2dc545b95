"""The operations that a stranger's graph may run: they compute, and reach neither files, network nor programs.

What is not listed is refused, so that an operation that TensorFlow gains later is refused until it is listed.
Left out on purpose are also operations that seem harmless: ``PrintV2`` can write to a file, ``ImmutableConst``
maps one, ``DebugIdentity`` sends tensors to a URL, ``Abort`` ends the process, decoders of image formats parse
untrusted bytes.
"""

from __future__ import annotations

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
