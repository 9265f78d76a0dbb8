// R's vectors as arrays of one dimension: vectors that are read from the serialisation on demand, and vectors
// that are computed from a few numbers.
#pragma once

#include <memory>
#include <vector>

#include "formats/containers/rds/serial_stream.h"
#include "formats/containers/rds/value.h"
#include "formats/core/unpacked/unpacked_bytes.h"

namespace plainfs::rds {

// Returns the type in which elements of a vector of this type are stored. Requires: type is one of vectors.
DType stored_type(RType type);

// Reads the elements of vectors from a stream, one after another.
class ElementReader {
 public:
  // encoding: of strings that are not marked with one.
  ElementReader(SerialStream& stream, std::string encoding)
      : stream_(stream), encoding_(std::move(encoding)) {}

  // Reads the next count elements of a vector of this type.
  Elements read(RType type, uint64_t count);
  // Reads one string after its flags.
  void add_string(TextBuilder& builder);
  // Reads a string after its flags and returns it as UTF-8 with invalid bytes as \xhh. Returns nullopt for
  // NA.
  std::optional<std::string> string(uint32_t flags);

 private:
  Elements numbers(RType type, uint64_t count);

  SerialStream& stream_;
  const std::string encoding_;
};

// Returns a string of R as UTF-8, with invalid bytes as \xhh.
std::string as_utf8(std::string_view text, bool is_latin1);

// Returns an array of fixed-size numbers that begin at offset. Requires: form is not text.
ArrayPtr stored_numbers(std::shared_ptr<const UnpackedBytes> bytes, RType type, Form form, uint64_t offset,
                        uint64_t count);
// Returns an array of elements that are located by parts. Each part must end at the begin of the next.
// Requires: the first part, if any, begins with element 0.
ArrayPtr stored_parts(std::shared_ptr<const UnpackedBytes> bytes, RType type, Form form, std::string encoding,
                      LongVector vector);

// Returns first, first + step, …: integers or reals.
ArrayPtr sequence(RType type, uint64_t count, double first, double step);
// Returns the results of as.character() for integers or reals with R's option scipen. For reals, check() of
// the array reads all of them and throws unsupported if the text of one is unknown.
ArrayPtr text_of_numbers(RType type, ArrayPtr numbers, int scipen = 0);

}  // namespace plainfs::rds
