// Integers and texts that pickles store in special forms (pickletools.py: long1, unicodestringnl).
#pragma once

#include <string>
#include <string_view>

#include "formats/core/base/bytes.h"

namespace plainfs {

// Returns the decimal digits of a two's complement little-endian integer. Takes quadratic time. Requires: not
// empty.
std::string decimal_digits(ByteSpan bytes);

// Converts Python's raw-unicode-escape (Latin-1 with \uXXXX and \UXXXXXXXX) to UTF-8. Throws damaged.
std::string unescaped_unicode(std::string_view text);

}  // namespace plainfs
