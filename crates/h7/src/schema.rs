//! Names from TensorFlow's public schema of TFLite (version 3): the fields of tables, and codes.

/// The offset of each field in its table's vtable, as flatc computes it.
macro_rules! fields {
    ($table:ident: $($field:ident = $place:literal),+) => {
        pub(super) mod $table {
            $(pub(crate) const $field: flatbuffers::VOffsetT = 4 + 2 * $place;)+
        }
    };
}

fields!(model: VERSION = 0, OPERATOR_CODES = 1, SUBGRAPHS = 2, DESCRIPTION = 3, BUFFERS = 4);
fields!(operator_code: DEPRECATED_BUILTIN_CODE = 0, VERSION = 2, BUILTIN_CODE = 3);
fields!(subgraph: TENSORS = 0, INPUTS = 1, OUTPUTS = 2, OPERATORS = 3);
fields!(buffer: DATA = 0);
fields!(tensor: SHAPE = 0, TYPE = 1, BUFFER = 2, NAME = 3, QUANTIZATION = 4);
fields!(quantization: SCALE = 2, ZERO_POINT = 3, QUANTIZED_DIMENSION = 6);
fields!(operator: OPCODE_INDEX = 0, INPUTS = 1, OUTPUTS = 2, BUILTIN_OPTIONS_TYPE = 3, BUILTIN_OPTIONS = 4);
// The options of all three kinds of operators begin with the same fields.
fields!(window: PADDING = 0, STRIDE_W = 1, STRIDE_H = 2);
fields!(conv: FUSED_ACTIVATION_FUNCTION = 3);
fields!(depthwise: DEPTH_MULTIPLIER = 3, FUSED_ACTIVATION_FUNCTION = 4);
fields!(pool: FILTER_WIDTH = 3, FILTER_HEIGHT = 4);

/// File identifier, from the fifth byte on.
pub(super) const IDENTIFIER: &str = "TFL3";
/// Version of the schema.
pub(super) const VERSION: u32 = 3;
/// Alignment of weights, from the beginning of the file.
pub(super) const DATA_ALIGNMENT: usize = 16;

pub(super) const TYPE_INT32: i8 = 2;
pub(super) const TYPE_INT8: i8 = 9;

pub(super) const AVERAGE_POOL_2D: i8 = 1;
pub(super) const CONV_2D: i8 = 3;
pub(super) const DEPTHWISE_CONV_2D: i8 = 4;
pub(super) const MAX_POOL_2D: i8 = 17;

pub(super) const CONV_OPTIONS: u8 = 1;
pub(super) const DEPTHWISE_OPTIONS: u8 = 2;
pub(super) const POOL_OPTIONS: u8 = 5;

pub(super) const PADDING_SAME: i8 = 0;
pub(super) const PADDING_VALID: i8 = 1;
pub(super) const ACTIVATION_NONE: i8 = 0;
pub(super) const ACTIVATION_RELU: i8 = 1;
