// R's vectors as arrays of one dimension: those that are read from the serialisation when they are asked for,
// and those that are made of a few numbers.
#pragma once

#include <memory>
#include <vector>

#include "formats/containers/rds/serial_stream.h"
#include "formats/containers/rds/unpacked_bytes.h"
#include "formats/containers/rds/value.h"

namespace plainfs::rds {

// What the elements of a vector of that type are stored as. Requires: it is a vector's.
DType stored_type(RType type);

// Reads the elements of vectors from a stream, one after the other.
class ElementReader {
 public:
  // encoding: of strings that are marked with none.
  ElementReader(SerialStream& stream, std::string encoding)
      : stream_(stream), encoding_(std::move(encoding)) {}

  // The next count elements of a vector of that type.
  Elements read(RType type, uint64_t count);
  // One string, with its flags before it.
  void add_string(TextBuilder& builder);
  // The bytes of a string, its flags read already, as UTF-8 in which a byte that is none is \xhh; nullopt
  // for NA.
  std::optional<std::string> string(uint32_t flags);

 private:
  Elements numbers(RType type, uint64_t count);

  SerialStream& stream_;
  const std::string encoding_;
};

// Numbers of fixed size from offset on. Requires: form is not text.
ArrayPtr stored_numbers(std::shared_ptr<const UnpackedBytes> bytes, RType type, Form form, uint64_t offset,
                        uint64_t count);
// Elements that are found in parts, each of which has to end where the next begins. Requires: the first part
// begins with element 0, where there are any.
ArrayPtr stored_parts(std::shared_ptr<const UnpackedBytes> bytes, RType type, Form form, std::string encoding,
                      LongVector vector);

// first, first + step, …: integers or reals.
ArrayPtr sequence(RType type, uint64_t count, double first, double step);
// as.character() of integers or reals with R's option scipen. check() of what is made of reals reads them all
// and throws unsupported if the text of one is not known.
ArrayPtr text_of_numbers(RType type, ArrayPtr numbers, int scipen = 0);

}  // namespace plainfs::rds
