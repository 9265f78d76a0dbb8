// Reads one R value from a serialisation (R Internals, "Serialization Formats"; ReadItem in
// src/main/serialize.c). Nothing is ever evaluated: environments, functions and the like are read over, and
// what cannot be read over without R (bytecode, R-level hooks, unknown ALTREP classes) is Error(unsupported).
#pragma once

#include <optional>
#include <vector>

#include "formats/containers/rds/serial_stream.h"
#include "formats/containers/rds/value.h"

namespace plainfs::rds {

class Reader {
 public:
  explicit Reader(SerialStream& stream) : stream_(stream) {}

  // The value that the stream holds. Depth, number of values and the size of compact sequences are bounded.
  RValue read() { return item(0); }

 private:
  RValue item(unsigned depth);
  RValue item_of_type(uint32_t flags, unsigned depth);
  RValue other(uint32_t flags, unsigned depth);
  RValue numbers(RType type, size_t size);
  RValue strings(unsigned depth);
  RValue list(unsigned depth);
  RValue pairs(uint32_t flags, unsigned depth);
  RValue symbol(unsigned depth);
  RValue reference(uint32_t flags) const;
  RValue altrep(unsigned depth);
  RValue environment(unsigned depth);
  RValue name_of_namespace(unsigned depth);
  void read_attributes(RValue& value, unsigned depth);
  // One string, its flags read already: nullopt for NA. In UTF-8 where its encoding is known.
  std::optional<std::string> characters(uint32_t flags, unsigned depth);
  void add_reference(std::string symbol);

  SerialStream& stream_;
  std::vector<std::string> references_;  // the name of a symbol; empty for everything else
  uint64_t values_ = 0;
  uint64_t most_expanded_ = uint64_t{1} << 24;  // elements that compact vectors may still be expanded to
};

}  // namespace plainfs::rds
