#include "formats/containers/rds/container.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/containers/rds/qs_reader.h"
#include "formats/containers/rds/reader.h"
#include "formats/containers/rds/serial_stream.h"
#include "formats/containers/rds/value.h"
#include "formats/core/unpacked/block_sources.h"
#include "formats/core/unpacked/unpacked_bytes.h"
#include "formats/core/unpacked/unpacked_file.h"

namespace plainfs::rds {
namespace {

constexpr size_t kHeaderBytes = 8;  // enough to identify a serialisation

// Returns whether a file with a name of R begins like a serialisation.
bool may_be_serialisation(ByteSpan first_bytes) {
  const std::string_view text = as_text(first_bytes);
  for (const std::string_view start : {"X\n", "B\n", "A\n", "A\r\n", "RDX", "RDA", "RDB"})
    if (text.starts_with(start)) return true;
  return false;
}

// Returns whether a file of any name is a serialisation: its version must follow.
bool is_surely_serialisation(ByteSpan first_bytes) {
  using namespace std::string_view_literals;
  const std::string_view text = as_text(first_bytes).substr(0, kHeaderBytes);
  for (const std::string_view start : {"X\n\0\0\0\2"sv, "X\n\0\0\0\3"sv, "B\n\2\0\0\0"sv, "B\n\3\0\0\0"sv,
                                       "RDX2\nX\n"sv, "RDX3\nX\n"sv, "RDA2\nA\n"sv, "RDA3\nA\n"sv})
    if (text.starts_with(start)) return true;
  return false;
}

// Returns whether a file has the form of qs before 0.20.1, which has no signature.
bool may_be_old_qs(std::string_view location, ByteSpan first_bytes) {
  using namespace std::string_view_literals;
  return boost::algorithm::iends_with(location, ".qs") && as_text(first_bytes).starts_with("\0\0\0\0"sv);
}

// Returns location without the extension of a second compression.
std::string_view without_compression(std::string_view location) {
  for (const std::string_view further : {".gz", ".bz2", ".xz", ".zst"})
    if (boost::algorithm::iends_with(location, further))
      return location.substr(0, location.size() - further.size());
  return location;
}

// Returns whether location ends in .rds, .RData, .rda or .Robj, in any case, also with a second compression.
bool is_named_as_r(std::string_view location) {
  using boost::algorithm::iends_with;
  location = without_compression(location);
  for (const std::string_view extension : {".rds", ".rdata", ".rda", ".robj"})
    if (iends_with(location, extension)) return true;
  return false;
}

constexpr const char kPurpose[] = "the values of the R object";

Bytes beginning_of(const File& file) {
  return file.read_at(0, static_cast<size_t>(std::min<uint64_t>(file.size(), kHeaderBytes)));
}

// Returns a file and its compression. For a file that is compressed twice, returns the content of the outer
// compression.
std::pair<FilePtr, Compression> innermost(const FilePtr& file, uint64_t max_bytes, Context& context) {
  const auto compression_at_start = [](ByteSource& source) {
    Bytes first(kHeaderBytes);
    first.resize(source.read(first));
    return unpacked::compression_of(first);
  };
  Compression outer = compression_at_start(*open_source(file, Compression::none));
  if (outer == Compression::none && may_be_old_qs(file->path(), beginning_of(*file))) outer = Compression::qs;
  // For bzip2 and xz even the first bytes cost a whole block.
  const bool may_be_twice =
      outer == Compression::gzip || without_compression(file->path()).size() != file->path().size();
  if (outer == Compression::none || !may_be_twice) return {file, outer};
  const Compression inner = compression_at_start(*open_source(file, outer));
  if (inner == Compression::none) return {file, outer};
  return {unpacked::unpacked_file(file, outer, max_bytes, kPurpose, context), inner};
}

struct Serialisation {
  ValuePtr value;
  uint32_t version = 0;
  std::string writer;
  uint64_t bytes_after = 0;
};

// Reads the value of one stream, several times if its environments require it. Environments that exceed the
// bounds are left out. Environments inside functions that are referenced as data are kept.
class RoundsOfReading {
 public:
  RoundsOfReading(FilePtr file, Compression compression, uint64_t max_bytes, Context& context)
      : file_(std::move(file)), compression_(compression), max_bytes_(max_bytes), context_(context) {}

  // Reads the value. known: the results of an earlier pass, if any.
  Serialisation read(std::optional<RPass> known);
  // Returns the results of the last round, or those that it was given.
  RPass pass() const { return {bytes_->pass(), vectors_}; }

 private:
  // Returns nullopt if the stream has to be read again.
  std::optional<Serialisation> read_once(std::optional<RPass> known);

  const FilePtr file_;
  const Compression compression_;
  const uint64_t max_bytes_;  // decompressed
  Context& context_;
  KeptEnvironments environments_;
  std::shared_ptr<UnpackedBytes> bytes_;
  LongVectors vectors_;    // of bytes_
  bool has_pass_ = false;  // over all of bytes_
  bool is_last_ = false;   // environments that this round misses are left out
};

Serialisation RoundsOfReading::read(std::optional<RPass> known) {
  constexpr int kMaxRounds = 8;
  for (int round = 1;; ++round) {
    is_last_ = round >= kMaxRounds;
    if (std::optional<Serialisation> done = read_once(std::move(known))) return *std::move(done);
    known = has_pass_ ? std::optional(RPass{std::move(bytes_->pass()), std::move(vectors_)}) : std::nullopt;
  }
}

std::optional<Serialisation> RoundsOfReading::read_once(std::optional<RPass> known) {
  bytes_ = std::make_shared<UnpackedBytes>(file_, compression_, context_, kPurpose);
  vectors_.clear();
  has_pass_ = known.has_value();
  if (known) {
    vectors_ = std::move(known->vectors);
    bytes_->adopt(std::move(known->bytes));
  }
  const std::unique_ptr<ByteSource> source =
      has_pass_ ? UnpackedBytes::from(bytes_, 0) : bytes_->first_pass();
  SerialStream stream(*source, max_bytes_);
  stream.read_header();
  Reader reader(stream, bytes_, vectors_, environments_);
  Serialisation read;
  try {
    read.value = reader.read();
  } catch (const Error&) {
    if (!reader.too_large()) throw;
    environments_.refused.insert(*reader.too_large());
    environments_.none = is_last_;  // so the next round cannot fail for the same reason
    return std::nullopt;
  }
  read.version = stream.version();
  read.writer = stream.writer();
  read.bytes_after = stream.finish();
  has_pass_ = true;
  if (reader.missed().empty() || is_last_) return read;
  environments_.wanted.insert(reader.missed().begin(), reader.missed().end());
  return std::nullopt;
}

// Reads the file with the results of a pass in an earlier session. Returns nullopt if there are no results or
// they no longer match.
std::optional<Serialisation> read_by_known_pass(const FilePtr& file, Compression compression,
                                                uint64_t max_bytes, Context& context) {
  if (!context.passes || compression == Compression::none) return std::nullopt;
  const auto known = context.passes->known(file->path(), kPassName, context.files);
  if (!known) return std::nullopt;
  std::optional<RPass> pass = pass_of(*known);
  if (!pass) return std::nullopt;
  try {
    return RoundsOfReading(file, compression, max_bytes, context).read(std::move(pass));
  } catch (const Error&) {
    context.passes->discard(file->path(), context.files);
    return std::nullopt;
  }
}

Serialisation read_file(const FilePtr& file, Compression compression, uint64_t max_bytes, Context& context) {
  if (std::optional<Serialisation> known = read_by_known_pass(file, compression, max_bytes, context))
    return *std::move(known);
  const auto start = std::chrono::steady_clock::now();
  RoundsOfReading rounds(file, compression, max_bytes, context);
  Serialisation read = rounds.read(std::nullopt);
  const RPass pass = rounds.pass();
  const bool is_of_use = compression == Compression::gzip || !pass.bytes.points.empty();
  if (context.passes && is_of_use)
    context.passes->keep(file->path(), kPassName, numbers_of(pass), std::chrono::steady_clock::now() - start,
                         context.files);
  return read;
}

// Reads a .qs or .qdata file, which have their own forms of serialisation.
Serialisation read_own_form(const FilePtr& file, Compression compression, Context& context) {
  const FilePtr content = unpacked::unpack(file, compression, file->path(), kPurpose, context).file;
  QsValue read = compression == Compression::qs
                     ? read_qs(content, unpacked::qs_shuffled_types(*file), context)
                     : read_qdata(content, context);
  return {std::move(read.value), 0, "", read.bytes_after};
}

// The number of parts of one kind and the places of the first ones.
struct Found {
  uint64_t count = 0;
  std::vector<std::string> places;

  void add(const std::string& place) {
    constexpr size_t kMaxPlaces = 3;
    if (count++ < kMaxPlaces) places.push_back(place);
  }
  // Returns "2 functions (/a, /b)".
  std::string text(const std::string& kind) const {
    return fmt::format("{} {}{} ({}{})", count, kind, count == 1 ? "" : "s", fmt::join(places, ", "),
                       count > places.size() ? ", …" : "");
  }
};

// A report of the parts of an R value that no file shows: parts without data (functions, calls, pointers,
// environments that are not read), and attributes that are lists or objects.
class LeftOut {
 public:
  explicit LeftOut(const Value& root) { look_at(root, ""); }

  std::vector<std::string> messages() const {
    std::vector<std::string> all;
    std::string aliens;
    for (const auto& [kind, found] : aliens_) aliens += (aliens.empty() ? "" : ", ") + found.text(kind);
    if (!aliens.empty()) all.push_back("without data, left out: " + aliens);
    if (attributes_.count > 0) all.push_back("not vectors, left out: " + attributes_.text("attribute"));
    return all;
  }

 private:
  void look_at(const Value& value, const std::string& place) {
    if (value.type != RType::s4) look_at_attributes(value, place);
    if (value.type == RType::other) {
      aliens_[value.name].add(place);
    } else if (value.type == RType::list) {
      const auto names = value.item_names();
      for (size_t i = 0; i < value.items.size(); ++i) {
        const bool is_named = names && !(*names)[i].empty();
        look_inside(*value.items[i], place, is_named ? (*names)[i] : std::to_string(i + 1));
      }
    } else if (value.type == RType::s4) {
      for (const NamedValue& slot : value.attributes)
        if (slot.name == ".xData")
          look_at_fields(*slot.value, place);
        else if (slot.name != "class")
          look_inside(*slot.value, place, slot.name);
    }
  }
  // Finds attributes that are not shown. Vectors are shown as attributes, and names and dimnames with the
  // value.
  void look_at_attributes(const Value& value, const std::string& place) {
    for (const NamedValue& attribute : value.attributes) {
      const bool is_shown = attribute.name == "names" || attribute.name == "dimnames";
      const RType type = attribute.value->type;
      if (!is_shown && (type == RType::list || type == RType::s4))
        attributes_.add(place + "/" + attribute.name);
    }
  }
  // Looks at the fields of an object of a reference class. Skips the object itself and its class, which stand
  // among its fields. Also skips the functions by which R accesses a field x, which has its value in .->x.
  void look_at_fields(const Value& environment, const std::string& place) {
    const auto names = environment.item_names();
    if (environment.type != RType::list || !names) return look_inside(environment, place, ".xData");
    const std::set<std::string> all(names->begin(), names->end());
    for (size_t i = 0; i < names->size(); ++i) {
      const std::string& name = (*names)[i];
      if (name != ".self" && name != ".refClassDef" && !all.contains(".->" + name))
        look_inside(*environment.items[i], place, name);
    }
  }
  void look_inside(const Value& value, const std::string& place, const std::string& name) {
    const bool is_plain = value.attributes.empty() && value.type != RType::other && value.type != RType::list;
    if (!is_plain) look_at(value, place + "/" + name);
  }

  std::map<std::string, Found> aliens_;  // by kind
  Found attributes_;
};

// Returns lines for the log with the number of parts of each kind and the places of the first ones. Empty if
// all of value is shown.
std::vector<std::string> left_out_of(const Value& value) {
  return LeftOut(value).messages();
}

}  // namespace

bool recognises(const Probe& probe) {
  const ByteSpan first = probe.first_bytes();
  const Compression compression = unpacked::compression_of(first);
  if (compression == Compression::qs || compression == Compression::qs2) return true;
  if (may_be_old_qs(probe.location(), first)) return true;
  if (is_named_as_r(probe.location())) return may_be_serialisation(first) || compression != Compression::none;
  return is_surely_serialisation(
      compression == Compression::gzip ? unpacked::beginning_of_gzip(first, kHeaderBytes) : first);
}

Store open(const Probe& probe, Context& context) {
  const FilePtr outer = context.files.open(probe.location());
  const uint64_t max_bytes = unpacked::max_decompressed_bytes(outer->size());
  const auto [file, compression] = innermost(outer, max_bytes, context);
  const bool is_qdata = compression == Compression::qs2 && unpacked::is_qdata(beginning_of(*file));
  const bool is_own_form = is_qdata || compression == Compression::qs;
  const Serialisation read = is_own_form ? read_own_form(file, compression, context)
                                         : read_file(file, compression, max_bytes, context);
  const ValuePtr& value = read.value;
  if (read.bytes_after > 0)
    context.notice(fmt::format("{} bytes after the R object are ignored", read.bytes_after));
  if (value->type == RType::null || value->type == RType::symbol || value->type == RType::other)
    throw unsupported("the R object is NULL, a function or another value without data");

  for (const std::string& line : left_out_of(*value)) context.notice(line);

  Store store;
  store.path = probe.location();
  store.format = is_qdata ? "qdata" : compression == Compression::qs ? "qs" : "R serialisation";
  if (!is_own_form) store.version = std::to_string(read.version);
  store.is_one_value = true;
  store.root.parts = std::make_shared<ValueGroup>(value, probe.location());
  if (!is_own_form) store.details.emplace_back("r_version", Json(read.writer));
  store.details.emplace_back("compression", Json(name_of(compression)));
  return store;
}

}  // namespace plainfs::rds
