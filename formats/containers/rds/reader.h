// Reads one R value from a serialisation (R Internals, "Serialization Formats"; ReadItem in
// src/main/serialize.c) in one pass. Nothing is ever evaluated: functions and the like are read over. Vectors
// over 64 KiB are read over as well, and known by where they lie.
//
// An environment is read as the list of its variables, sorted by their names. One that holds itself, or is
// held by one that it holds, stands in itself as NULL, so the values are a tree whose branches may be shared.
// A stream may define an environment inside a function, which is read over, and refer to it later as data.
// Such environments are known after the value was read (missed()); reading it again with them keeps them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "formats/containers/rds/vectors.h"

namespace plainfs::rds {

// Which environments are kept besides those that stand in what is kept. Each has the number by which the
// stream refers to it.
struct KeptEnvironments {
  std::set<size_t> wanted;   // kept wherever they stand
  std::set<size_t> refused;  // never kept: they hold more than the bounds allow
  bool none = false;         // none is kept at all
};

class Reader {
 public:
  // stream reads bytes from the first: those of the first pass, which learns of the vectors that are read
  // over, or, where one is known, any, and those that it knows are not read. Requires: stream outlives this.
  Reader(SerialStream& stream, std::shared_ptr<UnpackedBytes> bytes, KeptEnvironments environments = {});

  // The value that the stream holds. Depth, number of values and what is held of them are bounded. Throws
  // damaged where the stream is cut or holds what R does not write, unsupported over a bound.
  ValuePtr read() { return item(0, true); }
  // The environments that are referred to as data, but stand where they were read over.
  const std::set<size_t>& missed() const { return missed_; }
  // The outermost environment in which a bound was exceeded; nullopt unless read() threw for that.
  std::optional<size_t> too_large() const { return too_large_; }

 private:
  // Not kept: the value is null (RType::other), and nothing is held of it.
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
  ElementReader elements_;
  struct Reference {
    std::string symbol;  // empty of everything else
    bool is_environment = false;
  };
  struct Environment {
    ValuePtr value;       // null while it is read
    uint64_t values = 0;  // that are kept of it, those of environments in it too
  };
  const KeptEnvironments environments_;
  std::vector<Reference> references_;
  std::map<size_t, Environment> kept_;  // environments, by number
  std::set<size_t> missed_;
  size_t outermost_ = 0;  // kept environment that is being read; 0: none
  std::optional<size_t> too_large_;
  uint64_t kept_values_ = 0;
  uint64_t held_bytes_ = 0;  // of small vectors
  uint64_t name_bytes_ = 0;  // of symbols, each as often as it is held
};

}  // namespace plainfs::rds
