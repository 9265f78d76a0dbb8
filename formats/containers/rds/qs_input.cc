#include "formats/containers/rds/qs_input.h"

#include <algorithm>
#include <utility>

#include "cache/request.h"
#include "formats/containers/rds/parted_array.h"
#include "formats/containers/rds/vectors.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/error.h"
#include "formats/core/codecs/planes.h"

namespace plainfs::rds {
namespace {

constexpr size_t kInputBytes = 256 << 10;
constexpr uint64_t kStringsInPart = 4096;
constexpr uint64_t kLeastStringBytes = 1;

// The size and the encoding of a string.
struct StringHead {
  std::optional<uint32_t> size;  // nullopt: NA
  bool is_latin1 = false;
};

StringHead qs_string_head(QsInput& input) {
  constexpr unsigned kEncoding = 0xc0, kLatin1 = 0x80, kShort = 0x20, kMissing = 0x0f;
  const unsigned head = input.byte(), rest = head & ~kEncoding;
  StringHead found;
  found.is_latin1 = (head & kEncoding) == kLatin1;
  if (rest & kShort)
    found.size = rest & 0x1f;
  else if (rest == 1)
    found.size = input.byte();
  else if (rest == 2)
    found.size = input.number<uint16_t>();
  else if (rest == 3)
    found.size = input.number<uint32_t>();
  else if (rest != kMissing)
    throw damaged("a string begins with the byte {:#04x}", head);
  return found;
}

StringHead qdata_string_head(QsInput& input) {
  constexpr unsigned kOfTwoBytes = 253, kOfFourBytes = 254, kMissing = 255;
  const unsigned head = input.byte();
  if (head == kMissing) return {};
  if (head == kOfTwoBytes) return {input.number<uint16_t>()};
  if (head == kOfFourBytes) return {input.number<uint32_t>()};
  return {head};
}

StringHead string_head(QsInput& input, QsForm form) {
  return form == QsForm::qs ? qs_string_head(input) : qdata_string_head(input);
}

// Numbers in one run of bytes, or with the bytes of their places apart.
class StoredNumbers final : public Array {
 public:
  StoredNumbers(FilePtr file, RType type, uint64_t offset, uint64_t count, size_t shuffled_by)
      : Array(stored_type(type), {count}),
        file_(std::move(file)),
        offset_(offset),
        shuffled_by_(shuffled_by) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    const size_t size = dtype().size;
    Elements elements;
    elements.count = box.extent[0];
    elements.bytes.resize(checked_size(elements.count, size));
    const uint64_t first = box.origin[0] * size;
    if (shuffled_by_ == 0) {
      file_->read_at(offset_ + first, elements.bytes);
      return elements;
    }
    const uint64_t words = count() * size / shuffled_by_, begin = first / shuffled_by_;
    const size_t some = elements.bytes.size() / shuffled_by_;
    Bytes planes(elements.bytes.size());
    for (size_t plane = 0; plane < shuffled_by_; ++plane)
      file_->read_at(offset_ + plane * words + begin, std::span(planes).subspan(plane * some, some));
    join_byte_planes(planes.data(), some, shuffled_by_, elements.bytes.data());
    return elements;
  }
  Shape chunk_shape() const override { return {std::min<uint64_t>(count(), 1 << 16)}; }
  bool may_be_missing() const override { return false; }

 private:
  const FilePtr file_;
  const uint64_t offset_;
  const size_t shuffled_by_;
};

// Strings of which one in every few is located.
class StoredTexts final : public PartedArray {
 public:
  StoredTexts(FilePtr file, QsForm form, LongVector vector, Context& context)
      : PartedArray(text_type(), std::move(vector), kStringsInPart, context),
        file_(std::move(file)),
        form_(form) {}

 private:
  Elements load(size_t part) const override {
    const uint64_t number = elements_in(part);
    QsInput input(file_, parts()[part].offset);
    TextBuilder builder(number);
    for (uint64_t i = 0; i < number; ++i) {
      if (const std::optional<std::string> text = qs_string(input, form_))
        builder.add(*text);
      else
        builder.add_missing();
    }
    return builder.finish();
  }

  const FilePtr file_;
  const QsForm form_;
};

}  // namespace

ByteSpan QsInput::bytes(uint64_t size) {
  if (size > file_->size() - at_)
    throw damaged("{2} bytes left at byte {1}, expected {0}", size, at_, file_->size() - at_);
  if (at_ < start_ || at_ + size > start_ + buffer_.size()) {
    check_cancelled();
    start_ = at_;
    buffer_.resize(
        static_cast<size_t>(std::min<uint64_t>(std::max<uint64_t>(size, kInputBytes), file_->size() - at_)));
    file_->read_at(start_, buffer_);
  }
  const ByteSpan part =
      ByteSpan(buffer_).subspan(static_cast<size_t>(at_ - start_), static_cast<size_t>(size));
  at_ += size;
  return part;
}

void QsInput::skip(uint64_t size) {
  if (size > file_->size() - at_)
    throw damaged("{2} bytes left at byte {1}, expected {0}", size, at_, file_->size() - at_);
  at_ += size;
}

std::optional<std::string> qs_string(QsInput& input, QsForm form) {
  const StringHead head = string_head(input, form);
  if (!head.size) return std::nullopt;
  return as_utf8(as_text(input.bytes(*head.size)), head.is_latin1);
}

void skip_qs_string(QsInput& input, QsForm form) {
  const StringHead head = string_head(input, form);
  if (head.size) input.skip(*head.size);
}

ArrayPtr qs_numbers(QsInput& input, RType type, uint64_t count, size_t shuffled_by, bool keep,
                    HeldBytes& held) {
  const uint64_t begin = input.position(), size = checked_multiply(count, stored_type(type).size);
  input.skip(size);
  if (!keep) return nullptr;
  auto stored =
      std::make_shared<StoredNumbers>(input.file(), type, begin, count, count == 0 ? 0 : shuffled_by);
  if (size > held.most_of_a_vector()) return stored;
  held.bytes += size;
  return std::make_shared<MemoryArray>(stored->dtype(), Shape{count}, stored->read(range(0, count)));
}

ArrayPtr qs_texts(QsInput& input, QsForm form, uint64_t count, bool keep, HeldBytes& held, Context& context) {
  if (count > (input.file()->size() - input.position()) / kLeastStringBytes)
    throw damaged("{} strings in {} bytes", count, input.file()->size() - input.position());
  LongVector vector;
  vector.count = count;
  const uint64_t begin = input.position();
  for (uint64_t i = 0; i < count; ++i) {
    if (keep && i % kStringsInPart == 0) vector.parts.push_back({i, input.position()});
    skip_qs_string(input, form);
  }
  if (!keep) return nullptr;
  const auto stored = std::make_shared<StoredTexts>(input.file(), form, std::move(vector), context);
  const uint64_t size = input.position() - begin;
  if (size > held.most_of_a_vector()) return stored;
  held.bytes += size;
  return std::make_shared<MemoryArray>(text_type(), Shape{count}, stored->read(range(0, count)));
}

}  // namespace plainfs::rds
