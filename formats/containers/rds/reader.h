// Reads one R value from a serialisation (R Internals, "Serialization Formats"; ReadItem in
// src/main/serialize.c) in one pass. Nothing is ever evaluated: environments, functions and the like are read
// over. Vectors over 64 KiB are read over as well, and known by where they lie.
#pragma once

#include <optional>
#include <vector>

#include "formats/containers/rds/vectors.h"

namespace plainfs::rds {

class Reader {
 public:
  // stream reads bytes from the first: those of the first pass, which learns of the vectors that are read
  // over, or, where one is known, any, and those that it knows are not read. Requires: stream outlives this.
  Reader(SerialStream& stream, std::shared_ptr<UnpackedBytes> bytes);

  // The value that the stream holds. Depth, number of values and what is held of them are bounded. Throws
  // damaged where the stream is cut or holds what R does not write, unsupported over a bound.
  ValuePtr read() { return item(0, true); }

 private:
  // Not kept: the value is null (RType::other), and nothing is held of it.
  ValuePtr item(unsigned depth, bool keep);
  ValuePtr item_of_type(uint32_t flags, unsigned depth, bool keep);
  ValuePtr read_over(uint32_t flags, unsigned depth);
  ArrayPtr vector(RType type, bool keep);
  ArrayPtr long_vector(RType type, uint64_t count, uint64_t begin, uint64_t read, bool keep);
  ArrayPtr known_vector(RType type, uint64_t count, uint64_t begin, bool keep);
  std::vector<ValuePtr> items(unsigned depth, bool keep);
  ValuePtr pairs(uint32_t flags, unsigned depth, bool keep);
  ValuePtr symbol(unsigned depth);
  ValuePtr reference(uint32_t flags);
  ValuePtr altrep(unsigned depth, bool keep);
  void environment(unsigned depth);
  void names_of_package(unsigned depth);
  void byte_code(unsigned depth);
  void byte_code_language(uint32_t type, unsigned depth);
  void read_attributes(Value& value, unsigned depth, bool keep);
  void count_value(bool keep);
  void count_name(std::string_view name);
  void add_reference(std::string symbol);

  SerialStream& stream_;
  const std::shared_ptr<UnpackedBytes> bytes_;
  ElementReader elements_;
  std::vector<std::string> references_;  // the name of a symbol; empty for everything else
  uint64_t kept_values_ = 0;
  uint64_t held_bytes_ = 0;  // of small vectors
  uint64_t name_bytes_ = 0;  // of symbols, each as often as it is held
};

}  // namespace plainfs::rds
