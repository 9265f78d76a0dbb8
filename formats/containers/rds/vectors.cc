#include "formats/containers/rds/vectors.h"

#include <algorithm>

#include "formats/containers/rds/number_texts.h"
#include "formats/containers/rds/parted_array.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/elements/r_missing.h"
#include "formats/core/text/utf8.h"

namespace plainfs::rds {
namespace {

// "General purpose" bits of a CHARSXP.
constexpr uint32_t kBytes = 1 << 1;
constexpr uint32_t kLatin1 = 1 << 2;
constexpr uint32_t kUtf8 = 1 << 3;
constexpr uint32_t kCharacters = 9;

// The characters of Windows-1252 at 0x80 to 0x9f, which R reads as latin1. 0: undefined.
constexpr uint16_t kWindows1252[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                       0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                       0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                       0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

void append_byte(unsigned char byte, std::string& out) {
  out += fmt::format("\\x{:02x}", byte);
}

std::string from_latin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const uint32_t code = byte >= 0x80 && byte < 0xa0 ? kWindows1252[byte - 0x80] : byte;
    if (code == 0 && byte != 0)
      append_byte(byte, utf8);
    else
      append_utf8(code, utf8);
  }
  return utf8;
}

std::string from_utf8(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  std::string utf8;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) append_byte(static_cast<unsigned char>(text[0]), utf8);
    utf8 += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return utf8;
}

bool is_latin1_name(std::string_view encoding) {
  return encoding == "latin1" || encoding == "ISO-8859-1" || encoding == "CP1252";
}

class NumbersInFile final : public Array {
 public:
  NumbersInFile(std::shared_ptr<const UnpackedBytes> bytes, DType type, uint64_t offset, uint64_t count)
      : Array(type, {count}), bytes_(std::move(bytes)), offset_(offset) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    const uint64_t count = box.extent[0], size = dtype().size;
    Bytes stored(checked_size(count, size));
    bytes_->read_at(offset_ + box.origin[0] * size, stored);
    return unpack(dtype(), std::move(stored), count);
  }
  Shape chunk_shape() const override { return {std::min<uint64_t>(count(), 1 << 15)}; }
  bool may_be_missing() const override { return false; }

 private:
  const std::shared_ptr<const UnpackedBytes> bytes_;
  const uint64_t offset_;
};

class PartsInFile final : public PartedArray {
 public:
  PartsInFile(std::shared_ptr<const UnpackedBytes> bytes, RType type, Form form, std::string encoding,
              LongVector vector)
      : PartedArray(stored_type(type), vector, 4096, bytes->context()),
        bytes_(std::move(bytes)),
        type_(type),
        form_(form),
        encoding_(std::move(encoding)),
        end_(vector.end) {}

  bool may_be_missing() const override { return type_ == RType::text; }

 private:
  Elements load(size_t part) const override {
    const VectorPart& place = parts()[part];
    const std::unique_ptr<ByteSource> source = UnpackedBytes::from(bytes_, place.offset);
    SerialStream stream(*source, form_, place.offset);
    Elements elements = ElementReader(stream, encoding_).read(type_, elements_in(part));
    if (stream.position() != (part + 1 < parts().size() ? parts()[part + 1].offset : end_))
      throw damaged("the elements of an R vector do not end where the next begin");
    return elements;
  }

  const std::shared_ptr<const UnpackedBytes> bytes_;
  const RType type_;
  const Form form_;
  const std::string encoding_;
  const uint64_t end_;
};

}  // namespace

DType stored_type(RType type) {
  switch (type) {
    case RType::logical:
    case RType::integer:
      return number_type(Kind::integer, 4);
    case RType::real:
      return number_type(Kind::real, 8);
    case RType::complex:
      return number_type(Kind::complex, 16);
    case RType::raw:
      return number_type(Kind::unsigned_integer, 1);
    case RType::null:
    case RType::text:
    case RType::list:
    case RType::symbol:
    case RType::s4:
    case RType::other:
      break;
  }
  return text_type();
}

Elements ElementReader::numbers(RType type, uint64_t count) {
  const DType dtype = stored_type(type);
  const size_t word = type == RType::complex ? 8 : dtype.size;
  const uint64_t words = type == RType::complex ? checked_multiply(count, 2) : count;
  Elements elements;
  elements.count = count;
  if (stream_.form() != Form::text) {
    elements.bytes = stream_.numbers(words, word);
    return elements;
  }
  for (uint64_t i = 0; i < words; ++i) {
    const auto put = [&](auto value) {
      const auto bytes = std::as_bytes(std::span(&value, 1));
      elements.bytes.insert(elements.bytes.end(), bytes.begin(), bytes.end());
    };
    if (word == 8)
      put(stream_.real());
    else if (word == 4)
      put(stream_.integer());
    else
      put(stream_.byte());
  }
  return elements;
}

Elements ElementReader::read(RType type, uint64_t count) {
  if (type != RType::text) return numbers(type, count);
  TextBuilder builder(std::min<uint64_t>(count, 1 << 16));
  for (uint64_t i = 0; i < count; ++i) add_string(builder);
  return builder.finish();
}

void ElementReader::add_string(TextBuilder& builder) {
  const auto flags = static_cast<uint32_t>(stream_.integer());
  if ((flags & 0xff) != kCharacters) throw damaged("a string vector contains type {}", flags & 0xff);
  // R never gives strings attributes.
  if (flags & 1 << 9) throw unsupported("an R string with attributes");
  if (const std::optional<std::string> text = string(flags))
    builder.add(*text);
  else
    builder.add_missing();
}

std::optional<std::string> ElementReader::string(uint32_t flags) {
  const int32_t size = stream_.integer();
  if (size == -1) return std::nullopt;
  if (size < -1) throw damaged("a string has length {}", size);
  const uint32_t levels = flags >> 12;
  const std::string_view text = stream_.text(static_cast<uint64_t>(size));
  const bool has_native_encoding = !(levels & (kBytes | kUtf8));
  return as_utf8(text, levels & kLatin1 || (has_native_encoding && is_latin1_name(encoding_)));
}

std::string as_utf8(std::string_view text, bool is_latin1) {
  return is_latin1 ? from_latin1(text) : from_utf8(text);
}

ArrayPtr stored_numbers(std::shared_ptr<const UnpackedBytes> bytes, RType type, Form form, uint64_t offset,
                        uint64_t count) {
  DType dtype = stored_type(type);
  dtype.big_endian = form == Form::big_endian;
  return std::make_shared<NumbersInFile>(std::move(bytes), std::move(dtype), offset, count);
}

ArrayPtr stored_parts(std::shared_ptr<const UnpackedBytes> bytes, RType type, Form form, std::string encoding,
                      LongVector vector) {
  return std::make_shared<PartsInFile>(std::move(bytes), type, form, std::move(encoding), std::move(vector));
}

ArrayPtr sequence(RType type, uint64_t count, double first, double step) {
  const DType dtype = stored_type(type);
  return generated(dtype, {count}, [dtype, first, step](const Box& box) {
    Elements elements = zero_elements(dtype, box.extent[0]);
    visit_number(dtype, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, double>) {
        const auto values = elements.mutable_values<T>();
        for (size_t i = 0; i < values.size(); ++i)
          values[i] = static_cast<T>(first + step * static_cast<double>(box.origin[0] + i));
      }
    });
    return elements;
  });
}

namespace {

void add_integer(int32_t number, TextBuilder& builder) {
  if (number == kRMissingInteger)
    builder.add_missing();
  else
    builder.add(std::to_string(number));
}

void add_real(double number, int scipen, TextBuilder& builder) {
  if (is_r_missing(number)) return builder.add_missing();
  const std::optional<std::string> text = character_of(number, scipen);
  if (!text) throw unsupported("unknown how R writes {} as text", number);
  builder.add(*text);
}

// Reads all numbers and throws if the text of one is unknown.
void check_texts(const Array& numbers, int scipen) {
  constexpr uint64_t kPiece = 1 << 15;
  for (uint64_t first = 0; first < numbers.count(); first += kPiece) {
    const Elements piece = numbers.read(range(first, std::min(kPiece, numbers.count() - first)));
    TextBuilder unused;
    for (const double number : piece.values<double>()) add_real(number, scipen, unused);
  }
}

}  // namespace

ArrayPtr text_of_numbers(RType type, ArrayPtr numbers, int scipen) {
  const bool is_real = type == RType::real;
  const ArrayPtr texts =
      mapped(numbers, text_type(), [is_real, scipen](const Elements& elements, const Box&) {
        TextBuilder builder(elements.count);
        if (is_real)
          for (const double number : elements.values<double>()) add_real(number, scipen, builder);
        else
          for (const int32_t number : elements.values<int32_t>()) add_integer(number, builder);
        return builder.finish();
      });
  if (!is_real) return texts;
  return checked(texts, [numbers, scipen] { check_texts(*numbers, scipen); });
}

}  // namespace plainfs::rds
