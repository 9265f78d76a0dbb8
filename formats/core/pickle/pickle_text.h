// Values of a pickle as canonical JSON text. Shared values are written wherever they occur, so the output is
// limited by a budget: a few hundred bytes of lists that share lists could fill a disk.
#pragma once

#include "formats/core/pickle/pickle_values.h"

namespace plainfs {

class PickleText {
 public:
  PickleText(const PickleHeap& heap, uint64_t pickle_bytes);

  // Appends the value to `out`: texts, numbers, lists (tuples, arrays and records too) and objects; bytes as
  // hex. Throws damaged if it is not data, is nested too deeply (like a value that contains itself) or
  // exceeds the budget.
  void write(const PickleValue& value, std::string& out);
  // Appends element i of `array` in C order. Requires: array.type, i < count.
  void write_element(const PickleArray& array, uint64_t i, std::string& out);

 private:
  void write_value(const PickleValue& value, std::string& out, int depth);
  void write_list(const std::vector<PickleValue>& items, std::string& out, int depth);
  void write_key(const PickleValue& key, std::string& out);
  void write_dict(const std::vector<PickleValue>& items, std::string& out, int depth);
  void write_dict_with_repeats(const std::vector<PickleValue>& items, std::string& out, int depth);
  void write_array(const PickleArray& array, size_t axis, uint64_t first, std::string& out, int depth);
  void write_item(const PickleArray& array, uint64_t i, std::string& out, int depth);
  void write_member(const DType& type, const PickleValue& value, std::string& out, int depth);
  void write_time(const DType& type, int64_t count, std::string& out);
  void write_stored(const DType& type, const std::byte* at, std::string& out);
  void write_text(std::string_view text, std::string& out);
  void spend(uint64_t bytes);

  const PickleHeap& heap_;
  const uint64_t max_an_element_;
  uint64_t left_;          // of the whole pickle
  uint64_t element_left_;  // of the current element
};

// Returns the bytes of element i in C order. Requires: array.type without objects.
ByteSpan element_bytes(const PickleArray& array, uint64_t i);

}  // namespace plainfs
