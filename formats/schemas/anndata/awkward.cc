#include "formats/schemas/anndata/awkward.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/model/node.h"
#include "formats/core/text/json.h"
#include "formats/core/text/utf8.h"
#include "formats/schemas/anndata/awkward_form.h"

namespace plainfs::anndata {
namespace {

// Limits of one call. Lists may overlap and repeat, so that small buffers can yield any amount.
constexpr uint64_t kMaxItems = uint64_t{1} << 24;
constexpr uint64_t kMaxBytes = uint64_t{1} << 28;

constexpr const char* kNull = "null";

using Texts = std::vector<std::string>;

class Reading {
 public:
  explicit Reading(const Group& buffers) : buffers_(buffers) {}

  // alone: whether the items are elements by themselves.
  Texts items(const Form& form, uint64_t first, uint64_t count, bool alone);

 private:
  ArrayPtr buffer(const Form& form, std::string_view part);
  Elements read(const Array& buffer, const Form& form, uint64_t first, uint64_t count);
  std::vector<int64_t> integers(const Form& form, std::string_view part, uint64_t first, uint64_t count);
  void spend(uint64_t items, uint64_t bytes);

  Texts numbers(const Form& form, uint64_t first, uint64_t count, bool alone);
  Texts lists(const Form& form, const std::vector<int64_t>& starts, const std::vector<int64_t>& stops);
  Texts texts(const Form& form, uint64_t first, uint64_t count, const std::vector<int64_t>& starts,
              const std::vector<int64_t>& stops);
  Texts all_lists(const Form& form, uint64_t first, uint64_t count);
  Texts records(const Form& form, uint64_t first, uint64_t count);
  Texts picked(const Form& content, const std::vector<int64_t>& index, bool may_be_missing, bool alone);
  Texts masked(const Form& form, uint64_t first, uint64_t count, bool alone);
  Texts united(const Form& form, uint64_t first, uint64_t count, bool alone);

  const Group& buffers_;
  std::map<std::string, ArrayPtr> opened_;
  uint64_t items_left_ = kMaxItems;
  uint64_t bytes_left_ = kMaxBytes;
};

void Reading::spend(uint64_t items, uint64_t bytes) {
  if (items > items_left_ || bytes > bytes_left_)
    throw unsupported("{}: elements of an awkward array are too large", buffers_.path());
  items_left_ -= items;
  bytes_left_ -= bytes;
}

ArrayPtr Reading::buffer(const Form& form, std::string_view part) {
  const std::string name = form.key + "-" + std::string(part);
  ArrayPtr& array = opened_[name];
  if (!array) array = find_array(buffers_, name);
  if (!array || array->shape().size() != 1)
    throw damaged("{}: an awkward array without the buffer {}", buffers_.path(), name);
  return array;
}

Elements Reading::read(const Array& buffer, const Form& form, uint64_t first, uint64_t count) {
  const uint64_t end = checked_add(first, count);
  if (end > buffer.count())
    throw damaged("{}: item {} of the buffer of {} is beyond its {}", buffers_.path(), end - 1, form.key,
                  buffer.count());
  return buffer.read(range(first, count));
}

std::vector<int64_t> Reading::integers(const Form& form, std::string_view part, uint64_t first,
                                       uint64_t count) {
  const ArrayPtr array = buffer(form, part);
  const Elements elements = read(*array, form, first, count);
  std::vector<int64_t> numbers(count);
  visit_number(array->dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      const auto values = elements.values<T>();
      for (uint64_t i = 0; i < count; ++i) {
        if (!std::in_range<int64_t>(values[i]))
          throw damaged("{}: {} is {}", buffers_.path(), part, values[i]);
        numbers[i] = static_cast<int64_t>(values[i]);
      }
    } else {
      throw damaged("{}: {}-{} is {}", buffers_.path(), form.key, part, array->dtype().name());
    }
  });
  return numbers;
}

// Appends an item as JSON. A number that is not finite and stands alone becomes a bare token, which differs
// from any text.
void append_number_item(const DType& type, const Elements& elements, uint64_t i, bool alone,
                        std::string& out) {
  if (alone && type.kind == Kind::real && !elements.is_missing(i)) {
    const double value = visit_number(
        type, [&](auto zero) { return number_cast<double>(elements.values<decltype(zero)>()[i]); });
    if (std::isnan(value)) return void(out += "NaN");
    if (std::isinf(value)) return void(out += value < 0 ? "-Infinity" : "Infinity");
  }
  append_json(type, elements, i, out);
}

// Appends the items from at on as nested lists, along the axes of shape from axis on.
void append_nested(const DType& type, const Elements& elements, const std::vector<uint64_t>& shape,
                   size_t axis, uint64_t& at, bool alone, std::string& out) {
  if (axis == shape.size()) return append_number_item(type, elements, at++, alone, out);
  out += '[';
  for (uint64_t i = 0; i < shape[axis]; ++i) {
    if (i > 0) out += ',';
    append_nested(type, elements, shape, axis + 1, at, false, out);
  }
  out += ']';
}

Texts Reading::numbers(const Form& form, uint64_t first, uint64_t count, bool alone) {
  const ArrayPtr data = buffer(form, "data");
  if (data->dtype().kind != form.primitive->kind || data->dtype().size != form.primitive->size)
    throw damaged("{}: the buffer of {} is {}, expected {} by its form", buffers_.path(), form.key,
                  data->dtype().name(), form.primitive->name());
  const uint64_t items = checked_multiply(count, form.size);
  uint64_t lists = count;  // empty lists count as one item
  for (const uint64_t length : form.inner_shape)
    lists = checked_multiply(lists, std::max<uint64_t>(length, 1));
  spend(lists, 0);
  const Elements elements = read(*data, form, checked_multiply(first, form.size), items);
  Texts texts(count);
  uint64_t at = 0;
  for (std::string& text : texts) {
    append_nested(data->dtype(), elements, form.inner_shape, 0, at, alone, text);
    spend(0, text.size());
  }
  return texts;
}

// starts, stops: the range of each list in its content.
Texts Reading::lists(const Form& form, const std::vector<int64_t>& starts,
                     const std::vector<int64_t>& stops) {
  int64_t lowest = 0, highest = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    if (starts[i] < 0 || stops[i] < starts[i])
      throw damaged("{}: invalid list of {}: from {} to {}", buffers_.path(), form.key, starts[i], stops[i]);
    if (stops[i] == starts[i]) continue;
    if (lowest == highest) lowest = starts[i], highest = stops[i];
    lowest = std::min(lowest, starts[i]);
    highest = std::max(highest, stops[i]);
  }
  if (form.text != TextKind::none)
    return texts(form, static_cast<uint64_t>(lowest), static_cast<uint64_t>(highest - lowest), starts, stops);
  Texts all(starts.size());
  // Lists that follow each other are cut from one run of items; others are read one by one.
  const bool are_dense = std::is_sorted(starts.begin(), starts.end()) &&
                         std::equal(starts.begin() + (starts.empty() ? 0 : 1), starts.end(), stops.begin());
  const Texts run = are_dense ? items(form.contents[0], static_cast<uint64_t>(lowest),
                                      static_cast<uint64_t>(highest - lowest), false)
                              : Texts();
  for (size_t i = 0; i < all.size(); ++i) {
    const auto length = static_cast<uint64_t>(stops[i] - starts[i]);
    const Texts own = are_dense || length == 0
                          ? Texts()
                          : items(form.contents[0], static_cast<uint64_t>(starts[i]), length, false);
    const std::string* item =
        are_dense && length > 0 ? &run[static_cast<size_t>(starts[i] - lowest)] : own.data();
    all[i] = '[';
    for (uint64_t k = 0; k < length; ++k) {
      if (k > 0) all[i] += ',';
      all[i] += item[k];
    }
    all[i] += ']';
    spend(0, all[i].size());
  }
  return all;
}

// first, count: the bytes that contain the lists.
Texts Reading::texts(const Form& form, uint64_t first, uint64_t count, const std::vector<int64_t>& starts,
                     const std::vector<int64_t>& stops) {
  const Form& content = form.contents[0];
  const ArrayPtr data = buffer(content, "data");
  if (data->dtype().kind != Kind::unsigned_integer || data->dtype().size != 1)
    throw damaged("{}: the characters of {} are {}", buffers_.path(), content.key, data->dtype().name());
  spend(0, count);
  const Elements bytes = read(*data, content, first, count);
  Texts all(starts.size());
  for (size_t i = 0; i < all.size(); ++i) {
    if (starts[i] == stops[i]) {
      all[i] = "\"\"";
      continue;
    }
    const std::string_view text =
        as_text(bytes.bytes)
            .substr(static_cast<uint64_t>(starts[i]) - first, static_cast<uint64_t>(stops[i] - starts[i]));
    if (form.text == TextKind::bytes) {
      all[i] = '"';
      append_hex(as_byte_span(text), all[i]);
      all[i] += '"';
    } else {
      check_utf8(text);
      write_json_text(text, all[i]);
    }
    spend(0, all[i].size());
  }
  return all;
}

Texts Reading::all_lists(const Form& form, uint64_t first, uint64_t count) {
  std::vector<int64_t> starts, stops;
  if (form.form_class == FormClass::list) {
    starts = integers(form, "starts", first, count);
    stops = integers(form, "stops", first, count);
  } else if (form.form_class == FormClass::list_offset) {
    starts = count > 0 ? integers(form, "offsets", first, checked_add(count, 1)) : std::vector<int64_t>();
    if (count > 0) stops.assign(starts.begin() + 1, starts.end());
    starts.resize(count);
  } else {
    const uint64_t end = checked_multiply(checked_add(first, count), form.size);
    if (end > INT64_MAX) throw damaged("{}: {} lists of {}", buffers_.path(), count, form.size);
    for (uint64_t i = first; i < first + count; ++i) {
      starts.push_back(static_cast<int64_t>(i * form.size));
      stops.push_back(static_cast<int64_t>((i + 1) * form.size));
    }
  }
  return lists(form, starts, stops);
}

Texts Reading::records(const Form& form, uint64_t first, uint64_t count) {
  Texts all(count, form.is_tuple ? "[" : "{");
  for (size_t f = 0; f < form.contents.size(); ++f) {
    const Texts values = items(form.contents[f], first, count, false);
    std::string name;
    if (!form.is_tuple) {
      check_utf8(std::string_view(form.fields[f]));
      write_json_text(form.fields[f], name);
      name += ':';
    }
    for (uint64_t i = 0; i < count; ++i) {
      spend(0, name.size() + values[i].size() + 1);
      if (f > 0) all[i] += ',';
      all[i] += name;
      all[i] += values[i];
    }
  }
  for (std::string& text : all) text += form.is_tuple ? ']' : '}';
  return all;
}

Texts Reading::picked(const Form& content, const std::vector<int64_t>& index, bool may_be_missing,
                      bool alone) {
  constexpr uint64_t kSparse = 4;  // limit of items read for each wanted one
  int64_t lowest = INT64_MAX, highest = -1;
  for (const int64_t i : index) {
    if (i < 0 && !may_be_missing) throw damaged("{}: negative index {}", buffers_.path(), i);
    if (i < 0) continue;
    lowest = std::min(lowest, i);
    highest = std::max(highest, i);
  }
  Texts all(index.size(), kNull);
  if (highest < 0) return all;
  const auto span = static_cast<uint64_t>(highest - lowest) + 1;
  const bool together = span <= kSparse * index.size();
  const Texts run = together ? items(content, static_cast<uint64_t>(lowest), span, alone) : Texts();
  for (size_t i = 0; i < index.size(); ++i) {
    if (index[i] < 0) continue;
    all[i] = together ? run[static_cast<size_t>(index[i] - lowest)]
                      : items(content, static_cast<uint64_t>(index[i]), 1, alone)[0];
    spend(0, all[i].size());
  }
  return all;
}

Texts Reading::masked(const Form& form, uint64_t first, uint64_t count, bool alone) {
  Texts all = items(form.contents[0], first, count, alone);
  if (count == 0) return all;
  if (form.form_class == FormClass::byte_masked) {
    const std::vector<int64_t> mask = integers(form, "mask", first, count);
    for (uint64_t i = 0; i < count; ++i)
      if ((mask[i] != 0) != form.valid_when) all[i] = kNull;
    return all;
  }
  const uint64_t first_byte = first / 8, last_byte = (first + count - 1) / 8;
  const std::vector<int64_t> mask = integers(form, "mask", first_byte, last_byte - first_byte + 1);
  for (uint64_t i = first; i < first + count; ++i) {
    const uint64_t bit = form.lowest_bit_first ? i % 8 : 7 - i % 8;
    const bool is_set = (static_cast<uint64_t>(mask[i / 8 - first_byte]) >> bit & 1) != 0;
    if (is_set != form.valid_when) all[i - first] = kNull;
  }
  return all;
}

Texts Reading::united(const Form& form, uint64_t first, uint64_t count, bool alone) {
  const std::vector<int64_t> tags = integers(form, "tags", first, count);
  const std::vector<int64_t> index = integers(form, "index", first, count);
  Texts all(count);
  for (size_t content = 0; content < form.contents.size(); ++content) {
    std::vector<int64_t> own;
    for (uint64_t i = 0; i < count; ++i)
      if (tags[i] == static_cast<int64_t>(content)) own.push_back(index[i]);
    Texts values = picked(form.contents[content], own, false, alone);
    size_t next = 0;
    for (uint64_t i = 0; i < count; ++i)
      if (tags[i] == static_cast<int64_t>(content)) all[i] = std::move(values[next++]);
  }
  for (uint64_t i = 0; i < count; ++i)
    if (tags[i] < 0 || static_cast<uint64_t>(tags[i]) >= form.contents.size())
      throw damaged("{}: tag {} is not below {}, the number of contents", buffers_.path(), tags[i],
                    form.contents.size());
  return all;
}

Texts Reading::items(const Form& form, uint64_t first, uint64_t count, bool alone) {
  spend(count, 0);
  switch (form.form_class) {
    case FormClass::empty:
      if (count > 0) throw damaged("{}: item {} of an empty array", buffers_.path(), first);
      return {};
    case FormClass::numpy:
      return numbers(form, first, count, alone);
    case FormClass::regular:
    case FormClass::list_offset:
    case FormClass::list:
      return all_lists(form, first, count);
    case FormClass::record:
      return records(form, first, count);
    case FormClass::indexed:
    case FormClass::option:
      return picked(form.contents[0], integers(form, "index", first, count),
                    form.form_class == FormClass::option, alone);
    case FormClass::byte_masked:
    case FormClass::bit_masked:
      return masked(form, first, count, alone);
    case FormClass::unmasked:
      return items(form.contents[0], first, count, alone);
    case FormClass::union_of:
      return united(form, first, count, alone);
  }
  throw unsupported("an awkward array of another class");
}

// A reader of the values as JSON text, assembled from the buffers. Thread-safe.
class AwkwardValues {
 public:
  explicit AwkwardValues(GroupPtr buffers) : buffers_(std::move(buffers)) {}

  // Returns elements [first, first + count) of the layout form, one JSON value each. A number that is not
  // finite and is an element by itself becomes a bare token. Throws damaged if a buffer is absent, too short
  // or of another type, and unsupported if the text would be very large.
  std::vector<std::string> read(const Form& form, uint64_t first, uint64_t count) const;

 private:
  const GroupPtr buffers_;
};

Texts AwkwardValues::read(const Form& form, uint64_t first, uint64_t count) const {
  return Reading(*buffers_).items(form, first, count, true);
}

DType json_type() {
  DType type;
  type.kind = Kind::json;
  return type;
}

class AwkwardArray : public Array {
 public:
  AwkwardArray(GroupPtr buffers, Form form, uint64_t length)
      : Array(json_type(), {length}), values_(std::move(buffers)), form_(std::move(form)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    TextBuilder texts(box.extent[0]);
    for (const std::string& text : values_.read(form_, box.origin[0], box.extent[0])) texts.add(text);
    return texts.finish();
  }
  // Each element is read separately; reading its neighbours too does not make it cheaper.
  Shape chunk_shape() const override {
    constexpr uint64_t kAtOnce = 1024;
    return {std::min(kAtOnce, std::max<uint64_t>(shape()[0], 1))};
  }

 private:
  const AwkwardValues values_;
  const Form form_;
};

}  // namespace

ArrayPtr awkward_array(GroupPtr group, const Attributes& attributes) {
  const std::optional<std::string> form = attributes.text("form");
  const Json* length = attributes.find("length");
  try {
    if (!form) throw damaged("{}: the form of an awkward array is missing", group->path());
    const std::optional<uint64_t> count = length ? length->as_uint64() : std::nullopt;
    if (!count) throw damaged("{}: the length of an awkward array is missing or not a count", group->path());
    return std::make_shared<AwkwardArray>(group, parse_form(*form), *count);
  } catch (const Error& error) {
    return std::make_shared<BrokenArray>(json_type(), error);
  }
}

}  // namespace plainfs::anndata
