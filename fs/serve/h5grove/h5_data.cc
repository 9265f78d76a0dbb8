#include "fs/serve/h5grove/h5_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cache/request.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/encode.h"
#include "formats/core/base/half.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/text/parsed_number.h"
#include "formats/core/text/printable.h"
#include "formats/core/text/split.h"
#include "fs/serve/h5grove/h5_values.h"
#include "fs/serve/http/query.h"
#include "fs/views/array/npy.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kDataPiece = 256 * 1024;        // bytes sent at once
constexpr uint64_t kDataRun = 32 * 1024;           // elements read at once
constexpr size_t kMaxDataHeld = 64 * 1024 * 1024;  // bytes of JSON for a client without chunks

// The selection along one axis.
struct Chosen {
  uint64_t first = 0;
  uint64_t count = 0;
  bool stays = true;  // the axis is kept in the result
};

WrongQuestion no_selection(std::string_view text) {
  return {fmt::format("{} is not a valid slice", printable(text))};
}

int64_t slice_number(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (const auto number = parsed_number<int64_t>(text)) return *number;
  throw no_selection(text);
}

// Returns an end of a slice, cut to the axis.
uint64_t end_of(std::string_view text, uint64_t length, uint64_t left_out) {
  if (text.find_first_not_of(' ') == std::string_view::npos) return left_out;
  const int64_t number = slice_number(text);
  if (number >= 0) return std::min(static_cast<uint64_t>(number), length);
  const uint64_t back = ~static_cast<uint64_t>(number) + 1;
  return back > length ? 0 : length - back;
}

Chosen chosen(std::string_view text, uint64_t length) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    const int64_t number = slice_number(text);
    const uint64_t back = number < 0 ? ~static_cast<uint64_t>(number) + 1 : 0;
    const uint64_t at = number < 0 ? (back > length ? length : length - back) : static_cast<uint64_t>(number);
    if (at >= length)
      throw WrongQuestion{fmt::format("index {} is out of range for an axis of {}", number, length)};
    return {at, 1, false};
  }
  std::string_view stop = text.substr(colon + 1);
  if (const size_t second = stop.find(':'); second != std::string_view::npos) {
    const std::string_view step = stop.substr(second + 1);
    if (step.find_first_not_of(' ') != std::string_view::npos && slice_number(step) != 1)
      throw WrongQuestion{fmt::format("{} has a step; only 1 is supported", printable(text))};
    stop = stop.substr(0, second);
  }
  const uint64_t first = end_of(text.substr(0, colon), length, 0);
  const uint64_t end = std::max(first, end_of(stop, length, length));
  return {first, end - first, true};
}

// Returns whether JavaScript's typed arrays can hold the type: h5grove's `dtype=safe`.
bool is_number(const DType& type) {
  return type.is_numeric() || type.kind == Kind::complex || type.kind == Kind::enumeration ||
         type.kind == Kind::time_span;
}

ArrayPtr widened_halves(const ArrayPtr& array) {
  if (array->dtype().kind != Kind::real || array->dtype().size != sizeof(Half)) return array;
  const DType type = number_type(Kind::real, sizeof(float));
  return mapped(array, type, [type](const Elements& halves, const Box&) {
    Elements reals = zero_elements(type, halves.count);
    std::transform(halves.values<Half>().begin(), halves.values<Half>().end(),
                   reals.mutable_values<float>().begin(), to_float);
    reals.missing = halves.missing;
    return reals;
  });
}

// Returns the array with the number for a missing truth value that h5_type() names NA.
ArrayPtr with_named_na(const ArrayPtr& array) {
  const DType& type = array->dtype();
  if (type.kind != Kind::logical || type.base == Kind::real || !array->may_be_missing()) return array;
  return mapped(array, type, [type](Elements values, const Box&) {
    visit_number(type, [&](auto zero) {
      if constexpr (std::is_integral_v<decltype(zero)>) {
        const auto numbers = values.mutable_values<decltype(zero)>();
        for (uint64_t i = 0; i < values.count; ++i)
          if (values.is_missing(i)) numbers[i] = kH5NotAvailable;
      }
    });
    return values;
  });
}

// The values as JSON text, generated in pieces.
class JsonData {
 public:
  JsonData(const ArrayPtr& array, bool is_flat) : array_(array) {
    shape_ = array->shape();
    // The axes of an element follow those of the array, as in numpy.
    for (type_ = &array->dtype(); type_->kind == Kind::array; type_ = type_->item.get())
      shape_.insert(shape_.end(), type_->dims.begin(), type_->dims.end());
    const uint64_t count = element_count(shape_);
    if (is_flat && !shape_.empty()) shape_ = {count};
    blocks_.assign(shape_.size(), 1);
    for (size_t axis = shape_.size(), block = 1; axis-- > 0;) blocks_[axis] = block *= shape_[axis];
    is_empty_ = count == 0;
  }

  // Calls send with each piece in turn.
  template <class Send>
  void write(uint64_t run, Send&& send) {
    std::string text;
    if (is_empty_) append_empty(0, text);
    const uint64_t all = is_empty_ ? 0 : array_->count();
    for (uint64_t first = 0; first < all; first += run) {
      check_cancelled();
      const uint64_t count = std::min(run, all - first);
      const Elements elements = read_run(*array_, first, count);
      append_items(array_->dtype(), elements, text);
      passed_run(*array_, first, count);
      if (text.size() < kDataPiece && first + run < all) continue;
      send(text);
      text.clear();
    }
    if (!text.empty()) send(text);
  }

 private:
  void append_empty(size_t axis, std::string& text) const {
    text += '[';
    for (uint64_t i = 0; shape_[axis] > 0 && i < shape_[axis] && axis + 1 < shape_.size(); ++i) {
      if (i > 0) text += ',';
      append_empty(axis + 1, text);
      if (text.size() > kMaxDataHeld) throw WrongQuestion{"too many empty lists"};
    }
    text += ']';
  }

  void append_items(const DType& type, const Elements& elements, std::string& text) {
    if (type.kind == Kind::array) return append_items(*type.item, elements.children[0], text);
    for (uint64_t i = 0; i < elements.count; ++i, ++place_) {
      if (place_ > 0) text += ',';
      for (const uint64_t block : blocks_)
        if (place_ % block == 0) text += '[';
      append_h5_value(type, elements, i, text);
      for (const uint64_t block : blocks_)
        if ((place_ + 1) % block == 0) text += ']';
    }
  }

  const ArrayPtr& array_;
  const DType* type_ = nullptr;  // of one item
  Shape shape_;
  Shape blocks_;  // items per block along each axis: a list begins at each multiple
  uint64_t place_ = 0;
  bool is_empty_ = false;
};

// Returns everything before the pixels of an image of one strip (TIFF 6.0, sections 2 and 19).
std::string tiff_header(const Array& array, uint64_t bytes) {
  const DType& type = array.dtype();
  const bool is_real = type.kind == Kind::real, is_signed = type.kind == Kind::integer;
  constexpr uint16_t kShort = 3, kLong = 4;
  struct Tag {
    uint16_t number, type;
    uint64_t value;
  };
  constexpr size_t kTags = 10, kSize = 8 + 2 + 12 * kTags + 4 + 2;  // a multiple of 8
  const Tag tags[kTags] = {{256, kLong, array.shape()[1]},
                           {257, kLong, array.shape()[0]},
                           {258, kShort, 8 * uint64_t{type.size}},
                           {259, kShort, 1},
                           {262, kShort, 1},
                           {273, kLong, kSize},
                           {277, kShort, 1},
                           {278, kLong, array.shape()[0]},
                           {279, kLong, bytes},
                           {339, kShort,
                            uint64_t{is_real     ? 3U
                                     : is_signed ? 2U
                                                 : 1U}}};
  std::string header("II*\0\x08\0\0\0", 8);
  append_little(header, kTags, 2);
  for (const Tag& tag : tags) {
    append_little(header, tag.number, 2);
    append_little(header, tag.type, 2);
    append_little(header, 1, 4);
    append_little(header, tag.value, 4);
  }
  header.resize(kSize, '\0');
  return header;
}

class DataAnswer {
 public:
  DataAnswer(const Exchange& exchange, const ArrayPtr& array, Context& context)
      : exchange_(exchange), context_(context), format_(value("format", "json")) {
    const std::string dtype = value("dtype", "origin");
    if (dtype != "origin" && dtype != "safe") throw WrongQuestion{"Unsupported dtype " + printable(dtype)};
    if (array->is_null()) throw WrongQuestion{"no value"};
    array->check();
    array_ = selected(array, Query(exchange.target.query).value("selection"));
    if (dtype == "origin") {
      is_turned_ = array->dtype().big_endian && array->dtype().size > 1;
      return;
    }
    if (!is_number(array->dtype())) throw WrongQuestion{"Unsupported dtype safe for non-numeric data"};
    array_ = with_named_na(widened_halves(array_));
  }

  void answer() {
    if (format_ == "json") return answer_json();
    if (format_ != "bin" && format_ != "npy" && format_ != "tiff")
      throw WrongQuestion{"Unsupported encoding " + printable(format_)};
    const bool is_supported = has_npy(*array_) && (format_ == "bin" || is_number(array_->dtype()));
    if (!is_supported)
      throw WrongQuestion{fmt::format("Unsupported encoding {} for non-numeric content", format_)};
    if (format_ == "bin" && is_turned_)
      throw WrongQuestion{"the values are stored as big-endian; dtype=safe returns little-endian"};
    if (format_ == "bin") return answer_file("", "");
    const std::string disposition = fmt::format("attachment; filename=\"data.{}\"", format_);
    if (format_ == "npy") return answer_file(npy_header(*array_), disposition);
    answer_file(tiff_head(), disposition);
  }

 private:
  std::string value(std::string_view name, std::string_view otherwise) const {
    return Query(exchange_.target.query).value(name).value_or(std::string(otherwise));
  }

  std::string tiff_head() const {
    const DType& type = array_->dtype();
    const bool is_plain = type.is_integer_or_real() || type.kind == Kind::boolean;
    if (array_->shape().size() != 2 || !is_plain)
      throw WrongQuestion{"Unsupported encoding tiff for data that is not a plane of numbers"};
    const uint64_t bytes = checked_multiply(array_->count(), type.packed_size());
    if (bytes >= UINT32_MAX - 1024) throw WrongQuestion{"too large for a TIFF; npy has no limit"};
    return tiff_header(*array_, bytes);
  }

  // Reads the first piece before sending the header, so that an error in it is still reported.
  void answer_file(const std::string& head, const std::string& disposition) {
    const std::unique_ptr<ViewFile> bytes = npy_file(array_, false, context_);
    const uint64_t size = bytes->size();
    Slices piece = bytes->read(0, kDataPiece);
    exchange_.reply.add("Cache-Control", "no-cache");
    exchange_.reply.add("Content-Type", "application/octet-stream");
    exchange_.reply.add("Content-Security-Policy", "sandbox; default-src 'none'");
    if (!disposition.empty()) exchange_.reply.add("Content-Disposition", disposition);
    exchange_.reply.begin(200, checked_add(size, head.size()));
    if (exchange_.reply.is_head()) return exchange_.reply.finish();
    if (!head.empty()) exchange_.reply.write(head);
    for (uint64_t at = 0; at < size; piece = bytes->read(at, kDataPiece)) {
      if (piece.size() == 0) throw damaged("the values end at byte {} of {}", at, size);
      exchange_.reply.write(piece);
      at += piece.size();
      if (at == size) break;
    }
    exchange_.reply.finish();
  }

  void answer_json() {
    const std::string flatten = value("flatten", "false");
    JsonData data(array_, flatten != "false" && flatten != "0");
    const uint64_t band = array_->count() == 0 ? 0 : elements_in_band(array_->shape(), array_->chunk_shape());
    const uint64_t run = run_length(kDataRun, band, array_->dtype(), context_);
    exchange_.reply.add("Cache-Control", "no-cache");
    if (!exchange_.reply.can_be_chunked() || exchange_.reply.is_head()) {
      std::string all;
      data.write(run, [&](const std::string& text) {
        all += text;
        if (all.size() > kMaxDataHeld) throw WrongQuestion{"too large for a client without chunked transfer"};
      });
      return exchange_.reply.whole(200, "application/json", all);
    }
    data.write(run, [&](const std::string& text) {
      if (!exchange_.reply.has_begun()) {
        exchange_.reply.add("Content-Type", "application/json");
        exchange_.reply.begin_chunked(200);
      }
      exchange_.reply.write(text);
    });
    exchange_.reply.finish();
  }

  const Exchange& exchange_;
  Context& context_;
  const std::string format_;
  ArrayPtr array_;
  bool is_turned_ = false;
};

}  // namespace

ArrayPtr selected(const ArrayPtr& array, const std::optional<std::string>& selection) {
  const Shape& shape = array->shape();
  std::vector<Chosen> axes;
  for (const uint64_t length : shape) axes.push_back({0, length, true});
  if (selection) {
    const std::vector<std::string_view> parts = split(*selection, ',');
    for (size_t axis = 0; axis < parts.size(); ++axis) {
      if (axis >= shape.size())
        throw WrongQuestion{fmt::format("{} has too many members to slice a {}D dataset",
                                        printable(*selection), shape.size())};
      axes[axis] = chosen(parts[axis], shape[axis]);
    }
  }
  Box part;
  std::vector<size_t> kept;
  for (const Chosen& axis : axes) {
    if (axis.stays) kept.push_back(part.origin.size());
    part.origin.push_back(axis.first);
    part.extent.push_back(axis.count);
  }
  return slice(array, std::move(part), std::move(kept));
}

void answer_h5_data(const Exchange& exchange, const ArrayPtr& array, Context& context) {
  DataAnswer(exchange, array, context).answer();
}

}  // namespace plainfs::serve
