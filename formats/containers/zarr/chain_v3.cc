
#include <algorithm>

#include "formats/containers/zarr/extension.h"
#include "formats/containers/zarr/json_members.h"
#include "formats/core/codecs/codecs.h"

namespace plainfs::zarr {
namespace {

constexpr std::string_view kArrayCodecs[] = {
    "bitround",           "scale_offset",       "cast_value",       "reshape",
    "numcodecs.delta",    "numcodecs.bitround", "numcodecs.astype", "numcodecs.fixedscaleoffset",
    "numcodecs.quantize", "numcodecs.packbits"};
// Serializers that are implemented like other codecs: their input and output are flat numbers.
constexpr std::string_view kFlatSerializers[] = {"packbits", "numcodecs.zfpy", "numcodecs.pcodec", "zfp",
                                                 "pcodec"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

DType in_byte_order(DType type, bool big_endian) {
  type.big_endian = big_endian;
  for (Field& field : type.fields) field.type = in_byte_order(field.type, big_endian);
  if (type.kind == Kind::array)
    type.item = std::make_shared<const DType>(in_byte_order(*type.item, big_endian));
  return type;
}

bool is_flat_number(const DType& type) {
  return type.fixed_size() && type.kind != Kind::compound && type.kind != Kind::array &&
         type.kind != Kind::fixed_text && type.kind != Kind::fixed_utf32 && type.kind != Kind::opaque;
}

// A parser that takes the codecs in the order of encoding.
class ChainParser {
 public:
  ChainParser(const DType& dtype, ChunkLengths lengths) : lengths_(std::move(lengths)) {
    chain_.dtype = dtype;
    chain_.stored = dtype;
    stage_.dtype = dtype;
    for (const auto& axis : lengths_) stage_.shape.push_back(axis.front());
  }

  void add(const Extension& codec) {
    if (codec.name == "transpose") return add_transpose(codec);
    if (contains(kArrayCodecs, codec.name)) return add_array_codec(codec);
    if (codec.name == "bytes" || codec.name == "endian") return add_bytes(codec);
    if (codec.name == "sharding_indexed") return add_sharding(codec);
    if (ObjectCodecPtr object = make_zarr_object_codec(codec.name, codec.configuration, chain_.dtype)) {
      return add_objects(codec, std::move(object));
    }
    CodecPtr generated = make_zarr_v3_codec(codec.name, codec.configuration, stage_);
    if (contains(kFlatSerializers, codec.name)) {
      begin_serializer(codec);
      require_flat_numbers(codec);
    } else if (!serialized_) {
      throw damaged("codec \"{}\" is before the array-to-bytes codec", codec.name);
    }
    chain_.byte_codecs.push_back(std::move(generated));
  }

  CodecChain finish() {
    if (!serialized_) throw damaged("no array-to-bytes codec");
    return std::move(chain_);
  }

 private:
  void require_array(const Extension& codec) const {
    if (serialized_) throw damaged("codec \"{}\" is after the array-to-bytes codec", codec.name);
  }
  void begin_serializer(const Extension& codec) {
    require_array(codec);
    serialized_ = true;
  }
  void require_flat_numbers(const Extension& codec) const {
    if (!is_flat_number(stage_.dtype))
      throw undecodable("codec \"{}\" on {}", codec.name, stage_.dtype.name());
  }

  void add_transpose(const Extension& codec) {
    require_array(codec);
    const Json& value = required(codec.configuration, "order");
    const size_t rank = lengths_.size();
    AxisOrder order(rank);
    if (value.list()) {
      order = to_lengths(value, "order");
    } else if (const std::string* text = value.text(); text && *text == "F") {
      order = reversed_axes(rank);
    } else if (text && *text == "C") {
      for (size_t d = 0; d < rank; ++d) order[d] = d;
    }
    if (!is_axis_order(order, rank))
      throw damaged("invalid transpose order: {}", to_json_text(value).substr(0, 80));
    ChunkLengths lengths(rank);
    for (size_t k = 0; k < rank; ++k) lengths[k] = lengths_[order[k]];
    lengths_ = std::move(lengths);
    stage_.shape = stored_shape(stage_.shape, order);
    const uint64_t size = stage_.dtype.fixed_size() ? stage_.dtype.packed_size() : 0;
    chain_.array_steps.emplace_back(Transpose{std::move(order), size});
  }

  void add_array_codec(const Extension& codec) {
    require_array(codec);
    require_flat_numbers(codec);
    CodecPtr generated = make_zarr_v3_codec(codec.name, codec.configuration, stage_);
    stage_ = generated->encoded_stage(stage_);
    lengths_.clear();
    for (const uint64_t length : stage_.shape) lengths_.push_back({length});
    chain_.array_steps.emplace_back(std::move(generated));
    has_array_codec_ = true;
  }

  // Numbers of several bytes without an endian are little-endian: the older "structured" type had none.
  void add_bytes(const Extension& codec) {
    begin_serializer(codec);
    if (!stage_.dtype.fixed_size()) throw damaged("codec \"bytes\" on {}", stage_.dtype.name());
    const Json* endian = codec.configuration.find("endian");
    if (!endian || endian->is_null()) return;
    const std::string* order = endian->text();
    if (!order || (*order != "little" && *order != "big")) {
      throw damaged("invalid endian: {}", to_json_text(*endian).substr(0, 80));
    }
    if (*order == "little") return;
    if (has_array_codec_)
      chain_.array_steps.emplace_back(ByteOrder{in_byte_order(stage_.dtype, true)});
    else
      chain_.stored = in_byte_order(chain_.dtype, true);
  }

  void add_objects(const Extension& codec, ObjectCodecPtr object) {
    begin_serializer(codec);
    if (object->dtype().kind != stage_.dtype.kind) {
      throw damaged("codec \"{}\" on {}", codec.name, stage_.dtype.name());
    }
    chain_.object = std::move(object);
  }

  void add_sharding(const Extension& codec) {
    begin_serializer(codec);
    auto sharding = std::make_unique<Sharding>();
    sharding->chunk_shape = to_lengths(required(codec.configuration, "chunk_shape"), "chunk_shape");
    check_divisible(sharding->chunk_shape);
    ChunkLengths inner_lengths;
    for (const uint64_t length : sharding->chunk_shape) inner_lengths.push_back({length});
    sharding->inner =
        parse_v3_codecs(required(codec.configuration, "codecs"), stage_.dtype, std::move(inner_lengths));
    ChunkLengths index_lengths(lengths_.size(), {1});
    index_lengths.push_back({2});
    sharding->index = parse_v3_codecs(required(codec.configuration, "index_codecs"),
                                      number_type(Kind::unsigned_integer, 8), std::move(index_lengths));
    if (const Json* location = codec.configuration.find("index_location")) {
      const std::string* text = location->text();
      if (!text || (*text != "start" && *text != "end")) {
        throw damaged("invalid index_location: {}", to_json_text(*location).substr(0, 80));
      }
      sharding->index_at_start = *text == "start";
    }
    chain_.sharding = std::move(sharding);
  }

  void check_divisible(const Shape& chunk_shape) const {
    if (chunk_shape.size() != lengths_.size()) {
      throw damaged("inner chunks of rank {} in shards of rank {}", chunk_shape.size(), lengths_.size());
    }
    for (size_t d = 0; d < chunk_shape.size(); ++d) {
      for (const uint64_t length : lengths_[d]) {
        if (chunk_shape[d] == 0 || length % chunk_shape[d] != 0) {
          throw damaged("shards of {} are not a multiple of inner chunks of {}", length, chunk_shape[d]);
        }
      }
    }
  }

  CodecChain chain_;
  ArrayStage stage_;
  ChunkLengths lengths_;
  bool serialized_ = false;
  bool has_array_codec_ = false;
};

}  // namespace

CodecChain parse_v3_codecs(const Json& codecs, const DType& dtype, ChunkLengths lengths) {
  if (!codecs.list()) throw damaged("invalid codecs: {}", to_json_text(codecs).substr(0, 80));
  ChainParser parser(dtype, std::move(lengths));
  for (const Json& codec : *codecs.list()) parser.add(parse_extension(codec, "codecs"));
  return parser.finish();
}

}  // namespace plainfs::zarr
