#include "fs/layout/zarr_records.h"

#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/text/base64.h"
#include "formats/core/text/utf8.h"
#include "fs/layout/element_form.h"

namespace plainfs {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{64} << 20;

bool is_number(const DType& type) {
  return type.is_numeric() || type.kind == Kind::complex || type.kind == Kind::time_span;
}

std::string number_name(const DType& type) {
  if (type.is_truth()) return "|b1";
  const char kind = type.kind == Kind::real               ? 'f'
                    : type.kind == Kind::complex          ? 'c'
                    : type.kind == Kind::unsigned_integer ? 'u'
                                                          : 'i';
  return (type.size == 1 ? "|" : "<") + (kind + std::to_string(type.size));
}

// One field: all of its values, and the bytes of one.
struct FieldBytes {
  Json dtype;
  std::string bytes;
  uint64_t size;
};

FieldBytes number_field(const Field& field, const Elements& elements) {
  const ElementForm form = little_stored(field.type);
  FieldBytes generated{Json::List{field.name, number_name(field.type)}, {}, form.size};
  generated.bytes.resize(checked_size(elements.count, form.size));
  form.write(field.type, elements, 0, elements.count, reinterpret_cast<std::byte*>(generated.bytes.data()));
  return generated;
}

FieldBytes text_field(const Field& field, const Elements& elements) {
  std::vector<std::vector<uint32_t>> texts;
  size_t longest = 1;
  for (uint64_t i = 0; i < elements.count; ++i) {
    std::string text;
    if (elements.is_missing(i))
      text = "NA";
    else
      append_plain(field.type, elements, i, text);
    check_utf8(std::string_view(text));
    std::vector<uint32_t> points;
    for (const uint32_t point : code_points(std::string_view(text))) points.push_back(point);
    longest = std::max(longest, points.size());
    texts.push_back(std::move(points));
  }
  FieldBytes generated{Json::List{field.name, "<U" + std::to_string(longest)}, {}, longest * 4};
  if (checked_multiply(elements.count, generated.size) > kMaxBytes)
    throw unsupported("field {} takes more than {} bytes", field.name, kMaxBytes);
  for (std::vector<uint32_t>& points : texts) {
    points.resize(longest);
    for (const uint32_t point : points)
      for (int shift = 0; shift < 32; shift += 8) generated.bytes += static_cast<char>(point >> shift);
  }
  return generated;
}

FieldBytes field_bytes(const Field& field, const Elements& elements) {
  if (is_number(field.type)) return number_field(field, elements);
  if (layout_of(field.type) != Layout::flat && layout_of(field.type) != Layout::heap)
    throw unsupported("field {} of type {} in records", field.name, field.type.name());
  return text_field(field, elements);
}

}  // namespace

ZarrRecords zarr_records(const ArrayPtr& values) {
  values->check();
  const DType& type = values->dtype();
  const uint64_t count = values->count();
  if (checked_multiply(count, type.fields.size()) > kMaxBytes) throw unsupported("{} records", count);
  const Elements all = read_all(*values);
  std::vector<FieldBytes> fields;
  Json::List dtype;
  uint64_t size = 0;
  for (size_t f = 0; f < type.fields.size(); ++f) {
    fields.push_back(field_bytes(type.fields[f], all.children.at(f)));
    dtype.push_back(fields.back().dtype);
    size += fields.back().size;
  }
  ZarrRecords records{std::move(dtype), {}, {}};
  for (uint64_t i = 0; i < count; ++i)
    for (const FieldBytes& field : fields) records.bytes.append(field.bytes, i * field.size, field.size);
  if (count == 0) records.bytes.resize(size);
  const std::string zeros(size, '\0');
  records.fill = encode_base64(as_byte_span(zeros));
  return records;
}

}  // namespace plainfs
