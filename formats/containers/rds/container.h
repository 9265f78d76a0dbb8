// R's serialisation in a file (.rds, .RData, .rda, .Robj, …), compressed or not. One pass when it is opened
// finds where every value lies; small ones are kept, and vectors over 64 KiB are read again when they are
// asked for.
#pragma once

#include <string>

#include "formats/containers/rds/value.h"
#include "formats/core/model/store.h"

namespace plainfs::rds {

// The root of such a store: its value, and no members, for what a value means is for a schema to say.
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

// A file .rds, .RData, .rda or .Robj (in any case, and under a further .gz, .bz2 or .xz) that begins as R's
// serialisation does, or as one of its compressed forms; of any name, one that begins with its version, plain
// or as gzip. Never throws.
bool recognises(const Probe& probe);

// The root is a ValueGroup. Which of R's forms the file has is told by its bytes, not by its name. Throws
// damaged and unsupported as Reader does, and unsupported where the value is no data.
Store open(const Probe& probe, Context& context);

}  // namespace plainfs::rds
