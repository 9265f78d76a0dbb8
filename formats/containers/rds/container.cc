#include "formats/containers/rds/container.h"

#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <utility>
#include <vector>

#include "formats/containers/rds/byte_source.h"
#include "formats/containers/rds/objects.h"
#include "formats/containers/rds/reader.h"
#include "formats/containers/rds/serial_stream.h"

namespace plainfs::rds {
namespace {

bool is_serialisation(ByteSpan first_bytes) {
  const std::string_view text = as_text(first_bytes);
  return text.starts_with("X\n") || text.starts_with("B\n") || text.starts_with("A\n");
}

// Beyond the first GiB a file may not hold more than gzip's best ratio gives, nor more than the memory takes.
uint64_t most_decompressed_bytes(uint64_t file_size) {
  constexpr uint64_t kAlways = uint64_t{1} << 30;
  constexpr uint64_t kMostRatio = 1100;
  const uint64_t memory =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return std::min(memory / 4 * 3, kAlways + kMostRatio * std::min<uint64_t>(file_size, uint64_t{1} << 50));
}

class ObjectGroup final : public Group {
 public:
  ObjectGroup(std::shared_ptr<const Parts> parts, GroupPtr parent, std::string path)
      : parts_(std::move(parts)), parent_(std::move(parent)), path_(std::move(path)) {}

  std::vector<Member> members() const override {
    std::vector<Member> all;
    for (const Part& part : parts_->members) all.push_back({part.name, node_of(part)});
    return all;
  }

  std::optional<Node> find(std::string_view name) const override {
    for (const Part& part : parts_->members) {
      if (part.name == name) return node_of(part);
    }
    return std::nullopt;
  }

  Attributes attributes() const override { return parts_->attributes; }
  GroupPtr parent() const override { return parent_; }
  std::string path() const override { return path_.empty() ? "/" : path_; }

 private:
  Node node_of(const Part& part) const {
    Node node;
    if (part.error)
      node.content = *part.error;
    else if (part.array)
      node.content = LabelledArray{part.array, nullptr, nullptr};
    else
      node.parts = std::make_shared<ObjectGroup>(part.parts, shared_from_this(), path_ + "/" + part.name);
    return node;
  }

  std::shared_ptr<const Parts> parts_;
  GroupPtr parent_;
  std::string path_;  // empty at the root
};

}  // namespace

bool recognises(const Probe& probe) {
  if (!boost::algorithm::iends_with(probe.location(), ".rds")) return false;
  return is_serialisation(probe.first_bytes()) || compression_of(probe.first_bytes()) != Compression::none;
}

Store open(const Probe& probe, Context& context) {
  const FilePtr file = context.files.open(probe.location());
  const Compression compression = compression_of(probe.first_bytes());
  const std::unique_ptr<ByteSource> source = open_source(file, compression);
  SerialStream stream(*source, most_decompressed_bytes(file->size()));
  RValue value = Reader(stream).read();
  stream.finish();
  std::vector<LeftOut> left_out;
  Parts parts = parts_of(std::move(value), left_out);
  for (const LeftOut& member : left_out) context.warn(member.path + ": left out: " + member.why);

  Store store;
  store.path = probe.location();
  store.format = "R serialisation";
  store.version = std::to_string(stream.version());
  store.root.parts =
      std::make_shared<ObjectGroup>(std::make_shared<const Parts>(std::move(parts)), nullptr, "");
  store.details = {{"r_version", Json(stream.writer())}, {"compression", Json(name_of(compression))}};
  return store;
}

}  // namespace plainfs::rds
