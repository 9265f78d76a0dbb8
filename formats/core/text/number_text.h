// Numbers as text. This is the only definition of their format (fs/VIEWS.md, section 2): integers in decimal;
// reals with the shortest digits that read back as the same value of that type, in the layout of Python's
// repr without ".0"; NaN, Inf, -Inf. Each write_ function writes without a terminator and returns the end.
// Each _length function returns how many characters the write_ function would write, usually without writing
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/core/base/half.h"

namespace plainfs {

// The buffer size that any write_number needs: "-2.2250738585072014e-308" is the longest text, but digits are
// copied in pieces of fixed size, which may reach up to 35 bytes before the end is known.
inline constexpr size_t kNumberTextMax = 40;

char* write_number(char* out, uint64_t value);
char* write_number(char* out, int64_t value);
char* write_number(char* out, uint32_t value);
char* write_number(char* out, int32_t value);
char* write_number(char* out, double value);
char* write_number(char* out, float value);
char* write_number(char* out, Half value);
inline char* write_number(char* out, uint16_t value) {
  return write_number(out, uint32_t{value});
}
inline char* write_number(char* out, uint8_t value) {
  return write_number(out, uint32_t{value});
}
inline char* write_number(char* out, int16_t value) {
  return write_number(out, int32_t{value});
}
inline char* write_number(char* out, int8_t value) {
  return write_number(out, int32_t{value});
}
template <class T>
void append_number(T value, std::string& out) {
  char text[kNumberTextMax];
  out.append(text, write_number(text, value));
}

size_t number_length(uint64_t value);
size_t number_length(int64_t value);
size_t number_length(uint32_t value);
size_t number_length(int32_t value);
size_t number_length(double value);
size_t number_length(float value);
size_t number_length(Half value);
inline size_t number_length(uint16_t value) {
  return number_length(uint32_t{value});
}
inline size_t number_length(uint8_t value) {
  return number_length(uint32_t{value});
}
inline size_t number_length(int16_t value) {
  return number_length(int32_t{value});
}
inline size_t number_length(int8_t value) {
  return number_length(int32_t{value});
}

}  // namespace plainfs
