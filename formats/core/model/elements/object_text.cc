#include "formats/core/model/elements/object_text.h"

#include "formats/core/model/arrays/array.h"

namespace plainfs {
namespace {

bool is_shape(const Json& value, std::span<const uint64_t> shape) {
  if (!value.list() || value.list()->size() != shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i)
    if ((*value.list())[i].as_uint64() != shape[i]) return false;
  return true;
}

// Adds the content of `items`, nested one level per axis of `shape`.
void add_nested(std::string_view codec, std::span<Json> items, std::span<const uint64_t> shape,
                TextBuilder& out) {
  if (items.size() != shape[0]) throw damaged("{}: {} items, expected {}", codec, items.size(), shape[0]);
  for (Json& item : items) {
    if (shape.size() == 1) {
      add_json_element(item, out);
    } else {
      if (!item.list()) throw damaged("{}: an item, expected a list", codec);
      add_nested(codec, *item.list(), shape.subspan(1), out);
    }
  }
}

}  // namespace

void check_value_count(std::string_view codec, uint64_t values) {
  if (values > kMaxObjectValues)
    throw unsupported("{}: more than {} values in a chunk", codec, kMaxObjectValues);
}

void add_json_element(Json& value, TextBuilder& out) {
  if (value.is_null()) return out.add_missing();
  // A number that is a whole cell is written as in cells, "Inf"; as JSON it would be a text.
  if (const Json::Number* number = value.number(); number && number->token.ends_with("Infinity"))
    return out.add(number->token);
  out.add(to_json_text(value));
}

Elements elements_of_items(std::string_view codec, Json& items, std::span<const uint64_t> chunk_shape,
                           bool with_shape) {
  const size_t tail = with_shape ? 2 : 1;
  Json::List* list = items.list();
  if (!list || list->size() < tail) throw damaged("{}: not a list of items, dtype and shape", codec);
  if (with_shape && !is_shape(list->back(), chunk_shape))
    throw damaged("{}: shape {} differs from the chunk's", codec, to_json_text(list->back()).substr(0, 100));
  if (!(*list)[list->size() - tail].text()) throw damaged("{}: the dtype is missing", codec);
  const std::span<Json> values(list->data(), list->size() - tail);
  TextBuilder out;
  if (chunk_shape.empty()) {
    if (values.size() != 1) throw damaged("{}: {} items, expected 1", codec, values.size());
    add_json_element(values[0], out);
  } else {
    add_nested(codec, values, chunk_shape, out);
  }
  return out.finish();
}

}  // namespace plainfs
