#include <algorithm>

#include "formats/core/codecs/makers.h"
#include "formats/core/model/object_text.h"

namespace plainfs {
namespace {

// numcodecs' json2 (json.py), and json, its form before the shape was part of it.
class JsonObjects : public ObjectCodec {
 public:
  explicit JsonObjects(bool with_shape) : with_shape_(with_shape) {}

  DType dtype() const override { return number_type(Kind::json, 0); }
  Elements decode(ByteSpan encoded, std::span<const uint64_t> chunk_shape) const override {
    const std::string_view text = as_text(encoded);
    check_value_count("json", static_cast<uint64_t>(std::count(text.begin(), text.end(), ',')));
    Json items = parse(text);
    return elements_of_items("json", items, chunk_shape, with_shape_);
  }

 private:
  static Json parse(std::string_view text) try { return parse_json(text); } catch (const Error& error) {
    throw error.at("json");
  }

  bool with_shape_;
};

}  // namespace

ObjectCodecPtr json_objects_codec(bool with_shape) {
  return std::make_unique<JsonObjects>(with_shape);
}

}  // namespace plainfs
