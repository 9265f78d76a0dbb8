#include "formats/containers/rds/container.h"

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <chrono>
#include <map>
#include <utility>

#include "formats/containers/rds/reader.h"
#include "formats/containers/rds/serial_stream.h"
#include "formats/containers/rds/unpacked_bytes.h"

namespace plainfs::rds {
namespace {

bool is_serialisation(ByteSpan first_bytes) {
  const std::string_view text = as_text(first_bytes);
  return text.starts_with("X\n") || text.starts_with("B\n") || text.starts_with("A\n") ||
         text.starts_with("RDX") || text.starts_with("RDA") || text.starts_with("RDB");
}

// Beyond the first GiB a file may not hold more than gzip's best ratio gives.
uint64_t most_decompressed_bytes(uint64_t file_size) {
  constexpr uint64_t kAlways = uint64_t{1} << 30;
  constexpr uint64_t kMostRatio = 1100;
  return kAlways + kMostRatio * std::min<uint64_t>(file_size, uint64_t{1} << 50);
}

struct Serialisation {
  ValuePtr value;
  uint32_t version = 0;
  std::string writer;
  uint64_t bytes_after = 0;
};

Serialisation read_all(ByteSource& source, const std::shared_ptr<UnpackedBytes>& bytes) {
  SerialStream stream(source, most_decompressed_bytes(bytes->file()->size()));
  stream.read_header();
  Serialisation read;
  read.value = Reader(stream, bytes).read();
  read.version = stream.version();
  read.writer = stream.writer();
  read.bytes_after = stream.finish();
  return read;
}

// By what a pass in an earlier session has found out; nullopt where that is not known or not right.
std::optional<Serialisation> read_by_known_pass(const FilePtr& file, Compression compression,
                                                Context& context) {
  if (!context.passes || compression == Compression::none) return std::nullopt;
  const auto known = context.passes->known(file->path(), kPassName, context.files);
  if (!known) return std::nullopt;
  std::optional<Pass> pass = pass_of(*known);
  if (!pass) return std::nullopt;
  const auto bytes = std::make_shared<UnpackedBytes>(file, compression, context);
  bytes->adopt(*std::move(pass));
  try {
    return read_all(*UnpackedBytes::from(bytes, 0), bytes);
  } catch (const Error&) {
    context.passes->discard(file->path(), context.files);
    return std::nullopt;
  }
}

Serialisation read_file(const FilePtr& file, Compression compression, Context& context) {
  if (std::optional<Serialisation> known = read_by_known_pass(file, compression, context))
    return *std::move(known);
  const auto start = std::chrono::steady_clock::now();
  const auto bytes = std::make_shared<UnpackedBytes>(file, compression, context);
  Serialisation read = read_all(*bytes->first_pass(), bytes);
  const bool is_of_use = compression == Compression::gzip || !bytes->pass().points.empty();
  if (context.passes && is_of_use)
    context.passes->keep(file->path(), kPassName, numbers_of(bytes->pass()),
                         std::chrono::steady_clock::now() - start, context.files);
  return read;
}

// What a value holds that is no data, by its kind: the places of the first of them, and how many there are.
class LeftOut {
 public:
  explicit LeftOut(const Value& root) { look_at(root, ""); }

  // Empty where there is nothing.
  std::string message() const {
    std::string all;
    for (const auto& [kind, found] : kinds_)
      all += fmt::format("{}{} {}{} ({}{})", all.empty() ? "" : ", ", found.count, kind,
                         found.count == 1 ? "" : "s", fmt::join(found.places, ", "),
                         found.count > found.places.size() ? ", …" : "");
    return all.empty() ? all : "no data, and left out: " + all;
  }

 private:
  static constexpr size_t kMostPlaces = 3;
  struct Found {
    uint64_t count = 0;
    std::vector<std::string> places;
  };

  void look_at(const Value& value, const std::string& place) {
    if (value.type == RType::other) {
      Found& found = kinds_[value.name];
      if (found.count++ < kMostPlaces) found.places.push_back(place);
    } else if (value.type == RType::list) {
      const auto names = value.item_names();
      for (size_t i = 0; i < value.items.size(); ++i) {
        const bool is_named = names && !(*names)[i].empty();
        look_inside(*value.items[i], place, is_named ? (*names)[i] : std::to_string(i + 1));
      }
    } else if (value.type == RType::s4) {
      for (const NamedValue& slot : value.attributes)
        if (slot.name != "class") look_inside(*slot.value, place, slot.name);
    }
  }
  void look_inside(const Value& value, const std::string& place, const std::string& name) {
    const bool is_of_use = value.type == RType::other || value.type == RType::list || value.type == RType::s4;
    if (is_of_use) look_at(value, place + "/" + name);
  }

  std::map<std::string, Found> kinds_;
};

}  // namespace

bool recognises(const Probe& probe) {
  const std::string location = probe.location();
  const bool is_named = boost::algorithm::iends_with(location, ".rds") ||
                        boost::algorithm::iends_with(location, ".rdata") ||
                        boost::algorithm::iends_with(location, ".rda");
  if (!is_named) return false;
  return is_serialisation(probe.first_bytes()) || compression_of(probe.first_bytes()) != Compression::none;
}

Store open(const Probe& probe, Context& context) {
  const FilePtr file = context.files.open(probe.location());
  const Compression compression = compression_of(probe.first_bytes());
  const Serialisation read = read_file(file, compression, context);
  const ValuePtr& value = read.value;
  if (read.bytes_after > 0)
    context.warn(fmt::format("{} bytes after the R object are ignored", read.bytes_after));
  if (value->type == RType::null || value->type == RType::symbol || value->type == RType::other)
    throw unsupported("the R object is NULL, a function or something else that holds no data");

  if (const std::string left_out = LeftOut(*value).message(); !left_out.empty()) context.notice(left_out);

  Store store;
  store.path = probe.location();
  store.format = "R serialisation";
  store.version = std::to_string(read.version);
  store.is_one_value = true;
  store.root.parts = std::make_shared<ValueGroup>(value, probe.location());
  store.details = {{"r_version", Json(read.writer)}, {"compression", Json(name_of(compression))}};
  return store;
}

}  // namespace plainfs::rds
