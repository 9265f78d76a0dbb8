// Reads one R value from a serialisation (R Internals, "Serialization Formats"; ReadItem in
// src/main/serialize.c) in one pass. Nothing is ever evaluated: functions and similar values are skipped.
// Vectors over 64 KiB are skipped too, and their positions recorded.
//
// An environment is read as the list of its variables, sorted by name. Where an environment contains itself,
// directly or through others, NULL stands instead. The values are therefore a tree with branches that may be
// shared. A stream may define an environment inside a function, which is skipped, and refer to it later as
// data. Such environments are known after the value was read (missed()). Reading the value again with them
// keeps them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "formats/containers/rds/vectors.h"

namespace plainfs::rds {

// The environments that are kept in addition to those inside kept values. Each has the number by which the
// stream refers to it.
struct KeptEnvironments {
  std::set<size_t> wanted;   // kept wherever they occur
  std::set<size_t> refused;  // never kept, since they exceed the bounds
  bool none = false;         // keeps no environments at all
};

class Reader {
 public:
  // stream reads bytes from the first on. If bytes adopted a pass, those of `vectors` are not read again.
  // Otherwise stream reads the first pass, and this adds the skipped vectors to `vectors`. Requires: stream
  // and vectors outlive this.
  Reader(SerialStream& stream, std::shared_ptr<UnpackedBytes> bytes, LongVectors& vectors,
         KeptEnvironments environments = {});

  // Returns the value in the stream. Its depth, the number of values and the memory they take are bounded.
  // Throws damaged if the stream is truncated or contains data that R does not write, unsupported if a bound
  // is exceeded.
  ValuePtr read() { return item(0, true); }
  // Returns the environments that are referenced as data but defined in skipped values.
  const std::set<size_t>& missed() const { return missed_; }
  // Returns the outermost environment in which a bound was exceeded, nullopt unless read() threw for that
  // reason.
  std::optional<size_t> too_large() const { return too_large_; }

 private:
  // With keep false, these skip the value: they return one of RType::other, and nothing of it stays in
  // memory.
  ValuePtr item(unsigned depth, bool keep);
  ValuePtr item_of_type(uint32_t flags, unsigned depth, bool keep);
  ValuePtr read_over(uint32_t flags, unsigned depth);
  ArrayPtr vector(RType type, bool keep);
  ArrayPtr long_vector(RType type, uint64_t count, uint64_t begin, uint64_t read, bool keep);
  bool knows(uint64_t begin, bool keep) const;
  ArrayPtr known_vector(RType type, uint64_t count, uint64_t begin, bool keep);
  std::vector<ValuePtr> items(unsigned depth, bool keep);
  ValuePtr pairs(uint32_t flags, unsigned depth, bool keep);
  ValuePtr symbol(unsigned depth);
  ValuePtr reference(uint32_t flags, bool keep);
  ValuePtr environment_at(size_t number, bool keep);
  ValuePtr altrep(unsigned depth, bool keep);
  ValuePtr environment(unsigned depth, bool keep);
  std::shared_ptr<Value> variables(unsigned depth);
  ValuePtr promise(uint32_t flags, unsigned depth, bool keep);
  void names_of_package(unsigned depth);
  void byte_code(unsigned depth);
  void byte_code_language(uint32_t type, unsigned depth);
  void read_attributes(Value& value, unsigned depth, bool keep);
  void count_value(bool keep);
  void count_name(std::string_view name);
  Error over_bound(Error error);
  void add_reference(std::string symbol, bool is_environment = false);

  SerialStream& stream_;
  const std::shared_ptr<UnpackedBytes> bytes_;
  LongVectors& vectors_;
  ElementReader elements_;
  struct Reference {
    std::string symbol;  // empty for everything else
    bool is_environment = false;
  };
  struct Environment {
    ValuePtr value;       // null while it is read
    uint64_t values = 0;  // number of values kept in it and in environments inside it
  };
  const KeptEnvironments environments_;
  std::vector<Reference> references_;
  std::map<size_t, Environment> kept_;  // environments, by number
  std::set<size_t> missed_;
  size_t outermost_ = 0;  // kept environment that is being read, or 0
  std::optional<size_t> too_large_;
  uint64_t kept_values_ = 0;
  uint64_t held_bytes_ = 0;  // of small vectors
  uint64_t name_bytes_ = 0;  // of symbols, counted at every use
};

}  // namespace plainfs::rds
