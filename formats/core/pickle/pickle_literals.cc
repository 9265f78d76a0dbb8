// Integers and texts that pickles store in special forms (pickletools.py: long1, unicodestringnl).
#include "formats/core/pickle/pickle_opcodes.h"

#include <vector>

#include "formats/core/text/parsed_number.h"
#include "formats/core/text/utf8.h"

namespace plainfs {
namespace {

// Returns the bytes of the absolute value, lowest first.
std::vector<uint8_t> magnitude_of(ByteSpan bytes, bool negative) {
  std::vector<uint8_t> magnitude;
  unsigned carry = negative ? 1 : 0;  // negation: every byte flipped, plus one
  for (const std::byte byte : bytes) {
    const unsigned value = (static_cast<unsigned>(byte) ^ (negative ? 255u : 0u)) + carry;
    magnitude.push_back(static_cast<uint8_t>(value));
    carry = value >> 8;
  }
  return magnitude;
}

}  // namespace

std::string decimal_digits(ByteSpan bytes) {
  constexpr uint64_t kBase = 1000000000;
  const bool negative = (bytes.back() & std::byte{0x80}) != std::byte{0};
  const std::vector<uint8_t> magnitude = magnitude_of(bytes, negative);
  std::vector<uint32_t> limbs;  // in base kBase, lowest first
  for (size_t i = magnitude.size(); i-- > 0;) {
    uint64_t carry = magnitude[i];
    for (uint32_t& limb : limbs) {
      carry += uint64_t{limb} << 8;
      limb = static_cast<uint32_t>(carry % kBase);
      carry /= kBase;
    }
    if (carry) limbs.push_back(static_cast<uint32_t>(carry));
  }
  if (limbs.empty()) return "0";
  std::string digits = fmt::format("{}{}", negative ? "-" : "", limbs.back());
  for (size_t i = limbs.size() - 1; i-- > 0;) digits += fmt::format("{:09}", limbs[i]);
  return digits;
}

std::string unescaped_unicode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const size_t digits = rest.starts_with("\\u") ? 4 : rest.starts_with("\\U") ? 8 : 0;
    std::optional<uint32_t> code = static_cast<unsigned char>(rest[0]);
    if (digits > 0) code = parsed_number<uint32_t>(rest.substr(2, digits), 16);
    if ((digits > 0 && rest.size() < 2 + digits) || !code || !is_code_point(*code))
      throw damaged("the pickle has an invalid escape in a text");
    append_utf8(*code, out);
    i += digits > 0 ? 2 + digits : 1;
  }
  return out;
}

}  // namespace plainfs
