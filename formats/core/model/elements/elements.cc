#include "formats/core/model/elements/elements.h"

#include <algorithm>
#include <cstring>

#include "formats/core/base/checked.h"

namespace plainfs {

namespace {

void append_bytes(Bytes& target, const std::byte* source, size_t size) {
  if (size == 0) return;
  const size_t before = target.size();
  target.resize(before + size);
  std::memcpy(target.data() + before, source, size);
}

std::vector<uint64_t> empty_offsets(uint64_t count) {
  return std::vector<uint64_t>(checked_size(count, sizeof(uint64_t)) / sizeof(uint64_t) + 1);
}

// Repeats the content of `out` until it has `count` copies.
void repeat_bytes(Bytes& out, uint64_t count) {
  const size_t one = out.size();
  const size_t all = checked_size(count, one);
  out.resize(all);
  for (size_t done = one; done < all; done *= 2) {
    std::memcpy(out.data() + done, out.data(), std::min(done, all - done));
  }
}

// Extends the offsets of one run of elements to `count` runs.
void repeat_offsets(std::vector<uint64_t>& offsets, uint64_t count) {
  const size_t one = offsets.size() - 1;
  const uint64_t step = offsets.back();
  checked_multiply(step, count);
  std::vector<uint64_t> all = empty_offsets(checked_multiply(count, one));
  for (uint64_t k = 0; k < count; ++k) {
    for (size_t i = 0; i < one; ++i) all[k * one + i + 1] = k * step + offsets[i + 1];
  }
  offsets = std::move(all);
}

// Returns `count` copies of a run of elements of any length.
Elements repeated_run(const DType& type, const Elements& run, uint64_t count) {
  Elements result = run;
  result.count = checked_multiply(run.count, count);
  if (!run.missing.empty()) {
    result.missing.clear();
    result.missing.reserve(result.count);
    for (uint64_t k = 0; k < count; ++k) {
      result.missing.insert(result.missing.end(), run.missing.begin(), run.missing.end());
    }
  }
  repeat_bytes(result.bytes, count);
  if (!run.offsets.empty()) repeat_offsets(result.offsets, count);
  for (size_t i = 0; i < run.children.size(); ++i) {
    const DType& child = type.kind == Kind::compound ? type.fields[i].type : *type.item;
    result.children[i] = repeated_run(child, run.children[i], count);
  }
  return result;
}

// Requires: target.count and source.count are those before the append.
void append_missing(Elements& target, const Elements& source, uint64_t first, uint64_t count) {
  if (target.missing.empty() && source.missing.empty()) return;
  target.missing.resize(target.count + count);
  if (source.missing.empty()) return;
  std::copy_n(source.missing.begin() + static_cast<ptrdiff_t>(first), count,
              target.missing.begin() + static_cast<ptrdiff_t>(target.count));
}

// Appends the ends of the elements. Returns the range that those offsets span in `source`.
std::pair<uint64_t, uint64_t> append_offsets(Elements& target, const Elements& source, uint64_t first,
                                             uint64_t count) {
  const uint64_t begin = source.offsets[first];
  const uint64_t end = source.offsets[first + count];
  const uint64_t shift = target.offsets.back() - begin;
  const size_t before = target.offsets.size();
  target.offsets.resize(before + count);
  for (uint64_t i = 0; i < count; ++i) target.offsets[before + i] = source.offsets[first + 1 + i] + shift;
  return {begin, end};
}

void check_offsets(const Elements& elements, uint64_t end) {
  const std::vector<uint64_t>& offsets = elements.offsets;
  if (offsets.size() != elements.count + 1 || offsets.front() != 0 || offsets.back() != end ||
      !std::is_sorted(offsets.begin(), offsets.end())) {
    throw damaged("the offsets of {} elements do not fit {} values", elements.count, end);
  }
}

}  // namespace

size_t Elements::allocated_bytes() const {
  size_t sum = bytes.capacity() + offsets.capacity() * sizeof(uint64_t) + missing.capacity() +
               children.capacity() * sizeof(Elements);
  for (const Elements& child : children) sum += child.allocated_bytes();
  return sum;
}

Elements zero_elements(const DType& type, uint64_t count) {
  Elements result;
  result.count = count;
  switch (layout_of(type)) {
    case Layout::flat:
      result.bytes.assign(checked_size(count, type.size), std::byte{0});
      break;
    case Layout::heap:
      result.offsets = empty_offsets(count);
      break;
    case Layout::sequence:
      result.offsets = empty_offsets(count);
      result.children.push_back(zero_elements(*type.item, 0));
      break;
    case Layout::array:
      result.children.push_back(zero_elements(*type.item, checked_multiply(count, type.items())));
      break;
    case Layout::compound:
      for (const Field& field : type.fields) result.children.push_back(zero_elements(field.type, count));
      break;
  }
  return result;
}

Elements repeated_element(const DType& type, const Elements& one, uint64_t count) {
  return repeated_run(type, one, count);
}

void append(const DType& type, Elements& target, const Elements& source, uint64_t first, uint64_t count) {
  if (target.count == 0 && target.offsets.empty() && target.children.empty()) target = zero_elements(type, 0);
  if (count == 0) return;
  append_missing(target, source, first, count);
  switch (layout_of(type)) {
    case Layout::flat:
      append_bytes(target.bytes, source.bytes.data() + first * type.size, count * type.size);
      break;
    case Layout::heap: {
      const auto [begin, end] = append_offsets(target, source, first, count);
      append_bytes(target.bytes, source.bytes.data() + begin, end - begin);
      break;
    }
    case Layout::sequence: {
      const auto [begin, end] = append_offsets(target, source, first, count);
      append(*type.item, target.children[0], source.children[0], begin, end - begin);
      break;
    }
    case Layout::array: {
      const uint64_t items = type.items();
      append(*type.item, target.children[0], source.children[0], first * items, count * items);
      break;
    }
    case Layout::compound:
      for (size_t f = 0; f < type.fields.size(); ++f) {
        append(type.fields[f].type, target.children[f], source.children[f], first, count);
      }
      break;
  }
  target.count += count;
}

void check_layout(const DType& type, const Elements& elements, uint64_t count) {
  if (elements.count != count) throw damaged("{} elements, expected {}", elements.count, count);
  if (!elements.missing.empty() && elements.missing.size() != count) {
    throw damaged("{} marks of missing values for {} elements", elements.missing.size(), count);
  }
  const Layout layout = layout_of(type);
  const size_t children = layout == Layout::compound                              ? type.fields.size()
                          : layout == Layout::sequence || layout == Layout::array ? 1
                                                                                  : 0;
  if (elements.children.size() != children) {
    throw damaged("{} parts of {}, expected {}", elements.children.size(), type.name(), children);
  }
  switch (layout) {
    case Layout::flat:
      if (elements.bytes.size() != checked_multiply(count, type.size)) {
        throw damaged("{} bytes for {} elements of {} bytes", elements.bytes.size(), count, type.size);
      }
      return;
    case Layout::heap:
      return check_offsets(elements, elements.bytes.size());
    case Layout::sequence:
      check_offsets(elements, elements.children[0].count);
      return check_layout(*type.item, elements.children[0], elements.children[0].count);
    case Layout::array:
      return check_layout(*type.item, elements.children[0], checked_multiply(count, type.items()));
    case Layout::compound:
      for (size_t f = 0; f < children; ++f) check_layout(type.fields[f].type, elements.children[f], count);
  }
}

TextBuilder::TextBuilder(uint64_t expected_count) {
  // A hint from a file: memory beyond this is allocated as data arrive.
  elements_.offsets.reserve(std::min<uint64_t>(expected_count, 1 << 20) + 1);
  elements_.offsets.push_back(0);
}

void TextBuilder::add(std::string_view text) {
  append_bytes(elements_.bytes, reinterpret_cast<const std::byte*>(text.data()), text.size());
  elements_.offsets.push_back(elements_.bytes.size());
  if (!elements_.missing.empty()) elements_.missing.push_back(0);
  ++elements_.count;
}

void TextBuilder::add_missing() {
  elements_.missing.resize(elements_.count);
  elements_.missing.push_back(1);
  elements_.offsets.push_back(elements_.bytes.size());
  ++elements_.count;
}

Elements TextBuilder::finish() {
  return std::move(elements_);
}

}  // namespace plainfs
