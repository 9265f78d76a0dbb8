#include "fs/views/npy.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <optional>

#include "cache/block_stream.h"
#include "cache/mutex.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/array_runs.h"
#include "formats/core/text/utf8.h"

namespace plainfs {

namespace {

constexpr uint64_t kBlockBytes = 512 * 1024;
constexpr uint64_t kBytesAhead = 2 << 20;

// Whether the elements' own bytes are what an .npy holds.
bool is_stored_as_shown(const DType& type) {
  if (type.kind == Kind::compound || type.kind == Kind::array) return false;
  return std::endian::native == std::endian::little || type.size == 1;
}

// About wanted elements, so that no block reaches from one band of chunks into the next: both would have to
// be decoded before any of it can be given. wanted where there is no such number near it: a band may be as
// vast as a file says, so only so many are tried.
uint64_t parts_of_band(uint64_t wanted, uint64_t band) {
  constexpr uint64_t kMostTried = 4096;
  if (band <= wanted) return band == 0 ? wanted : wanted - wanted % band;
  const uint64_t fewest = divide_up(band, wanted);
  for (uint64_t parts = fewest; parts < fewest + std::min(fewest, kMostTried); ++parts)
    if (band % parts == 0) return band / parts;
  return wanted;
}

struct NpyBlock {
  Bytes bytes;
  size_t allocated_bytes() const { return bytes.capacity(); }
};

// The elements in runs of the same length.
class NpyBlocks : public BlockStream<NpyBlock> {
 public:
  NpyBlocks(ArrayPtr array, uint64_t block_elements, Context& context)
      : BlockStream(context.cache, context.workers,
                    kBytesAhead / std::max<uint64_t>(1, block_elements * array->dtype().packed_size())),
        array_(std::move(array)),
        block_elements_(block_elements),
        context_(context) {}

  // Elements that a reader jumped to: no more than those, and not kept.
  NpyBlock peek(uint64_t first, uint64_t count) const {
    return packed(peek_run(*array_, first, count), count);
  }

 protected:
  NpyBlock make(uint64_t number) const override {
    const uint64_t first = number * block_elements_;
    const uint64_t count = std::min(block_elements_, array_->count() - first);
    const auto room = context_.unit_budget.take(checked_multiply(count, array_->dtype().packed_size()));
    return packed(read_run(*array_, first, count), count);
  }

  void passed(uint64_t first, uint64_t last) const override {
    const uint64_t start = first * block_elements_;
    passed_run(*array_, start, std::min(last * block_elements_, array_->count()) - start);
  }

 private:
  NpyBlock packed(Elements elements, uint64_t count) const {
    NpyBlock block;
    if (is_stored_as_shown(array_->dtype()))
      block.bytes = std::move(elements.bytes);
    else
      pack(array_->dtype(), elements, 0, count, block.bytes);
    if (block.bytes.size() != count * array_->dtype().packed_size())
      throw unreadable("{2} bytes for {0} elements of {1} bytes", count, array_->dtype().packed_size(),
                       block.bytes.size());
    return block;
  }

  const ArrayPtr array_;
  const uint64_t block_elements_;
  Context& context_;
};

class NpyFile : public ViewFile {
 public:
  NpyFile(ArrayPtr array, bool with_header, Context& context)
      : array_(std::move(array)), with_header_(with_header), context_(context) {}

  uint64_t size() override {
    prepare();
    return header_->size() + data_size_;
  }
  std::optional<uint64_t> known_size() override { return size(); }
  Slices read(uint64_t offset, size_t size) override;

 private:
  void prepare();

  const ArrayPtr array_;
  const bool with_header_;
  Context& context_;
  Mutex preparing_;                    // guards the first prepare
  std::atomic<bool> prepared_{false};  // set once what follows is final; read without the lock
  std::shared_ptr<const std::string> header_;
  uint64_t data_size_ = 0;
  uint64_t element_bytes_ = 1;
  uint64_t block_bytes_ = 1;
  std::shared_ptr<NpyBlocks> blocks_;
};

void NpyFile::prepare() {
  if (prepared_.load(std::memory_order_acquire)) return;
  const MutexLock lock(preparing_);
  if (prepared_.load(std::memory_order_relaxed)) return;
  array_->check();
  header_ = std::make_shared<const std::string>(with_header_ ? npy_header(*array_) : std::string());
  const uint64_t element_size = array_->dtype().packed_size(), count = array_->count();
  data_size_ = checked_multiply(count, element_size);
  checked_add(data_size_, header_->size());
  const uint64_t wanted = std::max<uint64_t>(1, kBlockBytes / std::max<uint64_t>(1, element_size));
  const uint64_t in_band = count == 0 ? 0 : elements_in_band(array_->shape(), array_->chunk_shape());
  const uint64_t block_elements =
      parts_of_band(run_length(wanted, in_band, array_->dtype(), context_), in_band);
  element_bytes_ = element_size;
  block_bytes_ = block_elements * element_size;
  blocks_ = std::make_shared<NpyBlocks>(array_, block_elements, context_);
  prepared_.store(true, std::memory_order_release);
}

Slices NpyFile::read(uint64_t offset, size_t size) {
  const uint64_t file_size = this->size();
  Slices slices;
  if (offset >= file_size) return slices;
  const uint64_t end = offset + std::min<uint64_t>(size, file_size - offset);
  const uint64_t data_start = header_->size();
  if (offset < data_start) {
    const ByteSpan header = as_byte_span(*header_);
    slices.add(header.subspan(offset, std::min(end, data_start) - offset), header_);
    offset = data_start;
  }
  if (offset >= end) return slices;
  const uint64_t first = (offset - data_start) / block_bytes_;
  const uint64_t last = divide_up(end - data_start, block_bytes_);
  blocks_->follow(first, last, divide_up(data_size_, block_bytes_));
  if (!blocks_->is_sequential()) {
    const uint64_t element = (offset - data_start) / element_bytes_;
    const auto elements = std::make_shared<const NpyBlock>(
        blocks_->peek(element, divide_up(end - data_start, element_bytes_) - element));
    slices.add(
        ByteSpan(elements->bytes).subspan(offset - data_start - element * element_bytes_, end - offset),
        elements);
    return slices;
  }
  for (uint64_t i = first; i < last; ++i) {
    const std::shared_ptr<const NpyBlock> block = blocks_->block(i);
    const uint64_t within = offset - data_start - i * block_bytes_;
    const uint64_t length = std::min(end - offset, block->bytes.size() - within);
    slices.add(ByteSpan(block->bytes).subspan(within, length), block);
    offset += length;
  }
  return slices;
}

}  // namespace

bool has_npy(const Array& array) {
  return array.dtype().fixed_size() && !array.is_null();
}

std::unique_ptr<ViewFile> npy_file(ArrayPtr array, bool with_header, Context& context) {
  return std::make_unique<NpyFile>(std::move(array), with_header, context);
}

namespace {

// As numpy's dtype strings spell it.
std::string_view unit_name(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::generic:
      return "";
    case TimeUnit::year:
      return "Y";
    case TimeUnit::month:
      return "M";
    case TimeUnit::week:
      return "W";
    case TimeUnit::day:
      return "D";
    case TimeUnit::hour:
      return "h";
    case TimeUnit::minute:
      return "m";
    case TimeUnit::second:
      return "s";
    case TimeUnit::milli:
      return "ms";
    case TimeUnit::micro:
      return "us";
    case TimeUnit::nano:
      return "ns";
    case TimeUnit::pico:
      return "ps";
    case TimeUnit::femto:
      return "fs";
    case TimeUnit::atto:
      return "as";
  }
  return "";
}

std::string number_descr(char kind, uint32_t size) {
  return fmt::format("'{}{}{}'", size == 1 ? '|' : '<', kind, size);
}

std::string time_descr(char kind, const DType& type) {
  if (type.time_unit == TimeUnit::generic) return fmt::format("'<{}8'", kind);
  const std::string count = type.time_count == 1 ? "" : std::to_string(type.time_count);
  return fmt::format("'<{}8[{}{}]'", kind, count, unit_name(type.time_unit));
}

// A Python string literal. Names are UTF-8; other bytes stand for the code points of Latin-1.
std::string python_text(std::string_view text) {
  std::string literal = "'";
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const unsigned char c = static_cast<unsigned char>(text[0]);
    if (c == '\'' || c == '\\') literal += '\\';
    if (length == 0 || c < 0x20 || c == 0x7f)
      literal += fmt::format("\\x{:02x}", c);
    else
      literal += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return literal + '\'';
}

std::string shape_text(const Shape& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += fmt::format("{}{}", i ? ", " : "", shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string descr(const DType& type);

// As a tuple of a structured dtype: name, dtype and, for an array, its shape.
std::string field_descr(const Field& field) {
  if (field.type.kind != Kind::array)
    return fmt::format("({}, {})", python_text(field.name), descr(field.type));
  return fmt::format("({}, {}, {})", python_text(field.name), descr(*field.type.item),
                     shape_text(field.type.dims));
}

std::string descr(const DType& type) {
  switch (type.kind) {
    case Kind::boolean:
      return "'|b1'";
    case Kind::integer:
      return number_descr('i', type.size);
    case Kind::unsigned_integer:
      return number_descr('u', type.size);
    case Kind::real:
      return number_descr('f', type.size);
    case Kind::complex:
      // numpy has no complex of two halves.
      return type.size == 4 ? "[('r', '<f2'), ('i', '<f2')]" : number_descr('c', type.size);
    case Kind::logical:
    case Kind::enumeration:
    case Kind::counted_time:
      return number_descr(type.base == Kind::unsigned_integer ? 'u'
                          : type.base == Kind::real           ? 'f'
                                                              : 'i',
                          type.size);
    case Kind::time_point:
      return time_descr('M', type);
    case Kind::time_span:
      return time_descr('m', type);
    case Kind::fixed_text:
      return fmt::format("'|S{}'", type.size);
    case Kind::fixed_utf32:
      return fmt::format("'<U{}'", type.size / 4);
    case Kind::opaque:
      return fmt::format("'|V{}'", type.size);
    case Kind::array:
      return fmt::format("({}, {})", descr(*type.item), shape_text(type.dims));
    case Kind::compound: {
      std::string fields;
      for (const Field& field : type.fields) fields += (fields.empty() ? "" : ", ") + field_descr(field);
      return "[" + fields + "]";
    }
    case Kind::text:
    case Kind::blob:
    case Kind::sequence:
    case Kind::json:
    case Kind::reference:
      break;
  }
  throw unsupported("{} cannot be stored in an .npy", type.name());
}

// Latin-1 of UTF-8 text; nullopt where a character is beyond it.
std::optional<std::string> latin1(std::string_view text) {
  std::string narrow;
  for (const uint32_t code : code_points(text)) {
    if (code > 0xff) return std::nullopt;
    narrow += static_cast<char>(code);
  }
  return narrow;
}

}  // namespace

std::string npy_header(const Array& array) {
  Shape shape = array.shape();
  if (array.column_major()) std::reverse(shape.begin(), shape.end());
  const DType* type = &array.dtype();
  for (; type->kind == Kind::array; type = type->item.get())
    shape.insert(shape.end(), type->dims.begin(), type->dims.end());
  const bool fortran = array.column_major() && array.shape().size() >= 2;
  std::string text = fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}", descr(*type),
                                 fortran ? "True" : "False", shape_text(shape));
  constexpr size_t kMagic = 6, kAlignment = 64;
  std::optional<std::string> narrow = latin1(text);
  char version = 1;
  if (narrow)
    text = std::move(*narrow);
  else
    version = 3;  // UTF-8
  const auto padded = [&](size_t length_bytes) {
    const size_t before = kMagic + 2 + length_bytes;
    return (before + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment - before;
  };
  if (version == 1 && padded(2) > 0xffff) version = 2;
  const size_t length_bytes = version == 1 ? 2 : 4;
  const size_t length = padded(length_bytes);
  std::string header = "\x93NUMPY";
  header += version;
  header += '\0';
  for (size_t i = 0; i < length_bytes; ++i) header += static_cast<char>(length >> (8 * i) & 0xff);
  text.resize(length - 1, ' ');
  return header + text + '\n';
}

}  // namespace plainfs
