#include "fs/views/r/rds_writer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "formats/core/base/checked.h"
#include "formats/core/base/encode.h"
#include "formats/core/model/elements/r_missing.h"
#include "fs/layout/array_segment.h"
#include "fs/layout/text_segments.h"

namespace plainfs {

namespace {

constexpr uint64_t kMaxInShort = INT32_MAX;

constexpr uint32_t kString = 9;
constexpr uint32_t kAscii = 64 << 12, kUtf8 = 8 << 12;
constexpr uint32_t kMissingString = 0xffffffff;  // as the length

// Appends a string's word, length and bytes.
void append_string(std::string_view text, bool is_missing, Bytes& out) {
  const size_t before = out.size();
  out.resize(before + 8 + text.size());
  put_big(out.data() + before, kString | (is_missing ? 0 : is_ascii(text) ? kAscii : kUtf8), 4);
  put_big(out.data() + before + 4, is_missing ? kMissingString : text.size(), 4);
  if (!text.empty()) std::memcpy(out.data() + before + 8, text.data(), text.size());
}

// The strings of an array, one after the other, as a segment.
class StringsSegment : public Segment {
 public:
  StringsSegment(ArrayPtr array, TextLengthsPtr lengths)
      : array_(std::move(array)), lengths_(std::move(lengths)) {}

  uint64_t size() const override { return start_of(lengths_->before.size() - 1); }

  void read(const Wanted& wanted) const override {
    const uint64_t end = wanted.offset + wanted.out.size();
    for (uint64_t at = wanted.offset, run = run_at(at); at < end; ++run) {
      Bytes strings;
      const uint64_t start = start_of(run), length = start_of(run + 1) - start;
      strings.reserve(length);
      const uint64_t first = run * kTextsInRun;
      for_each_text(
          *array_, first, std::min(kTextsInRun, lengths_->count - first),
          [&](std::string_view text, bool is_missing) { append_string(text, is_missing, strings); });
      if (strings.size() != length) throw unreadable("texts have changed since they were measured");
      const uint64_t some = std::min(end, start + length) - at;
      std::memcpy(wanted.out.data() + (at - wanted.offset), strings.data() + (at - start), some);
      at += some;
    }
  }

 private:
  uint64_t start_of(uint64_t run) const {
    return lengths_->before[run] + 8 * std::min(run * kTextsInRun, lengths_->count);
  }
  // Returns the run that contains the byte.
  uint64_t run_at(uint64_t offset) const {
    uint64_t low = 0, high = lengths_->before.size() - 1;
    while (high - low > 1) {
      const uint64_t middle = low + (high - low) / 2;
      (start_of(middle) <= offset ? low : high) = middle;
    }
    return low;
  }

  const ArrayPtr array_;
  const TextLengthsPtr lengths_;
};

// Integers of the package bit64 are stored bit by bit in R's doubles.
bool is_integer64(const DType& type) {
  return type.kind == Kind::integer && type.size == 8 && type.r_class;
}

ElementForm form_of(const DType& type) {
  if (is_integer64(type)) return r_integer64();
  switch (r_vector_of(type)) {
    case RVector::logical:
      return r_logical();
    case RVector::integer:
      return r_integer();
    case RVector::real:
      return r_double();
    case RVector::complex:
      return r_complex();
    case RVector::raw:
    case RVector::text:
    case RVector::list:
      break;
  }
  throw std::logic_error("R has no numbers of this kind");
}

}  // namespace

RVector r_vector_of(const DType& type) {
  switch (type.kind) {
    case Kind::boolean:
    case Kind::logical:
      return RVector::logical;
    case Kind::integer:
      return type.size <= 4 ? RVector::integer : RVector::real;
    case Kind::unsigned_integer:
      return type.size < 4 ? RVector::integer : RVector::real;
    case Kind::time_span:
    case Kind::real:
      return RVector::real;
    case Kind::counted_time:
      return type.base == Kind::integer ? RVector::integer : RVector::real;
    case Kind::complex:
      return RVector::complex;
    default:
      return RVector::text;
  }
}

RdsWriter::RdsWriter(Context& context) : context_(context) {
  layout_.put("X\n");
  // The version of the serialization, the R that writes (4.2.2, whatever reads), and the oldest that reads
  // (3.5.0).
  for (const uint32_t word : {3u, 0x00040202u, 0x00030500u, 5u}) big_endian(word);
  layout_.put("UTF-8");
}

void RdsWriter::big_endian(uint32_t value) {
  std::byte bytes[4];
  put_big(bytes, value, sizeof bytes);
  layout_.put(as_text(bytes));
}

void RdsWriter::real(double value) {
  const uint64_t bits = std::isnan(value) ? kRMissingRealBits : std::bit_cast<uint64_t>(value);
  big_endian(static_cast<uint32_t>(bits >> 32));
  big_endian(static_cast<uint32_t>(bits));
}

void RdsWriter::integer(int32_t value) {
  big_endian(static_cast<uint32_t>(value));
}

void RdsWriter::item(uint32_t type, bool is_object, bool has_attributes) {
  big_endian(type | (is_object ? 0x100 : 0) | (has_attributes ? 0x200 : 0));
}

void RdsWriter::vector(RVector type, uint64_t length, bool is_object, bool has_attributes) {
  item(static_cast<uint32_t>(type), is_object, has_attributes);
  if (length <= kMaxInShort) return big_endian(static_cast<uint32_t>(length));
  big_endian(0xffffffff);  // a long vector: two words of length follow
  big_endian(static_cast<uint32_t>(length >> 32));
  big_endian(static_cast<uint32_t>(length));
}

void RdsWriter::text(std::string_view value) {
  Bytes string;
  append_string(value, false, string);
  layout_.put(as_text(string));
}

void RdsWriter::texts(const std::vector<std::string>& values, bool has_attributes) {
  vector(RVector::text, values.size(), false, has_attributes);
  for (const std::string& value : values) text(value);
}

void RdsWriter::texts(const ArrayPtr& values, bool is_object, bool has_attributes) {
  vector(RVector::text, values->count(), is_object, has_attributes);
  data(std::make_shared<StringsSegment>(values, measure_texts(*values, context_)));
}

void RdsWriter::numbers(const ArrayPtr& values, bool has_more) {
  const DType& type = values->dtype();
  if (r_vector_of(type) == RVector::text) return texts(values, false, has_more);
  const bool has_class = type.r_class != nullptr;
  vector(r_vector_of(type), values->count(), has_class, has_class || has_more);
  data(array_segment(values, form_of(type), context_));
  if (!has_class) return;
  for (const auto& [name, value] : *type.r_class) {
    attribute(name);
    texts(value);
  }
  if (!has_more) end_attributes();
}

void RdsWriter::elements(const ArrayPtr& values, bool is_object, bool has_attributes, bool as_bits) {
  const DType& type = values->dtype();
  if (type.kind == Kind::unsigned_integer && type.size == 1) {
    vector(RVector::raw, values->count(), is_object, has_attributes);
    return data(array_segment(values, little_stored(type), context_));
  }
  if (r_vector_of(type) == RVector::text) return texts(values, is_object, has_attributes);
  vector(r_vector_of(type), values->count(), is_object, has_attributes);
  data(array_segment(values, as_bits ? r_integer64() : form_of(type), context_));
}

void RdsWriter::attribute(std::string_view name) {
  constexpr uint32_t kPairWithTag = 0x402;
  big_endian(kPairWithTag);
  symbol(name);
}

void RdsWriter::symbol(std::string_view name) {
  constexpr uint32_t kSymbol = 1, kReference = 0xff;
  const auto known = std::find(symbols_.begin(), symbols_.end(), name);
  if (known != symbols_.end()) {
    const auto place = static_cast<uint32_t>(known - symbols_.begin()) + 1;
    return big_endian(place << 8 | kReference);
  }
  symbols_.emplace_back(name);
  big_endian(kSymbol);
  text(name);
}

void RdsWriter::class_attribute(std::initializer_list<std::string_view> names) {
  attribute("class");
  vector(RVector::text, names.size());
  for (const std::string_view name : names) text(name);
}

void RdsWriter::s4_class(const std::string& name, const std::string& package) {
  attribute("class");
  texts({name}, true);
  attribute("package");
  texts({package});
  end_attributes();
  end_attributes();
}

}  // namespace plainfs
