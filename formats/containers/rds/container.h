// R's serialisation in a file (.rds, .RData, .rda, .Robj, …), compressed or not. Opening a file makes one
// pass that finds the position of every value. Small values are kept in memory. Vectors over 64 KiB are read
// from the file on demand.
#pragma once

#include <string>

#include "formats/containers/rds/value.h"
#include "formats/core/model/store.h"

namespace plainfs::rds {

// The root of such a store. It holds a value and has no members, since the meaning of a value is up to a
// schema.
class ValueGroup final : public Group {
 public:
  // location: of the file.
  ValueGroup(ValuePtr value, std::string location)
      : value_(std::move(value)), location_(std::move(location)) {}

  const ValuePtr& value() const { return value_; }
  const std::string& location() const { return location_; }
  std::vector<Member> members() const override { return {}; }
  GroupPtr parent() const override { return nullptr; }
  std::string path() const override { return "/"; }

 private:
  const ValuePtr value_;
  const std::string location_;
};

// Returns whether a file contains R's serialisation. A file named .rds, .RData, .rda or .Robj (in any case,
// also with a further .gz, .bz2, .xz or .zst) does if it begins like a serialisation or like compressed data.
// A file of any other name does if a serialisation begins with its version, plain or in gzip, or if it has a
// signature of qs or qs2. Never throws.
bool recognises(const Probe& probe);

// Opens the store. Its root is a ValueGroup. The form of the serialisation is detected from the bytes, not
// from the name. Throws damaged and unsupported like Reader, and unsupported if the value holds no data.
Store open(const Probe& probe, Context& context);

}  // namespace plainfs::rds
