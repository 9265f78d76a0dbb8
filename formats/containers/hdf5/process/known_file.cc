#include "formats/containers/hdf5/process/known_file.h"

#include <algorithm>

namespace plainfs::hdf5 {
namespace {

// The largest number of objects that are read ahead by the first question, and by one that lists a group.
constexpr uint64_t kMaxAtFirst = 512, kMaxOfGroup = 128;

}  // namespace

// Each read of a remote file is a round trip to its server, so nothing is read ahead there.
KnownObjects KnownFile::read_ahead(uint64_t object, uint64_t most) const {
  if (bytes()->is_remote() || is_hostile_.load(std::memory_order_relaxed)) return {};
  std::optional<KnownObjects> known = tree(object, most);
  if (!known) is_hostile_.store(true, std::memory_order_relaxed);
  return known ? *std::move(known) : KnownObjects();
}

template <class Get>
auto KnownFile::find(Get&& get) const -> decltype(get(KnownObjects())) {
  bytes()->check_unchanged_lately();
  if (auto found = get(first_.get([this] { return read_ahead(root_address(), kMaxAtFirst); }))) return found;
  std::shared_ptr<const KnownObjects> latest;
  {
    const MutexLock lock(mutex_);
    latest = latest_;
  }
  return get(*latest);
}

StoredObjectFacts KnownFile::object(uint64_t address) const {
  auto facts = find([&](const KnownObjects& known) { return known.object(address); });
  return facts ? *std::move(facts) : ProcessFile::object(address);
}

// Either finds all objects in memory or asks about all: a group with unknown members is mostly too large.
std::vector<FoundObject> KnownFile::objects(const std::vector<uint64_t>& addresses) const {
  std::vector<FoundObject> found;
  for (const uint64_t address : addresses) {
    auto facts = find([&](const KnownObjects& known) { return known.object(address); });
    if (!facts) return ProcessFile::objects(addresses);
    found.push_back({*std::move(facts), {}});
  }
  return found;
}

std::vector<StoredLink> KnownFile::links(uint64_t group) const {
  const auto links_in = [&](const KnownObjects& known) { return known.links(group); };
  if (auto links = find(links_in)) return *std::move(links);
  auto known = std::make_shared<const KnownObjects>(read_ahead(group, kMaxOfGroup));
  auto links = links_in(*known);
  if (!links) return ProcessFile::links(group);
  const MutexLock lock(mutex_);
  latest_.swap(known);
  return *std::move(links);
}

std::optional<StoredLink> KnownFile::find_link(uint64_t group, const std::string& name) const {
  auto link = find([&](const KnownObjects& known) { return known.find_link(group, name); });
  return link ? *std::move(link) : ProcessFile::find_link(group, name);
}

std::vector<StoredAttribute> KnownFile::attributes(uint64_t object) const {
  auto attributes = find([&](const KnownObjects& known) { return known.attributes(object); });
  return attributes ? *std::move(attributes) : ProcessFile::attributes(object);
}

std::optional<StoredAttribute> KnownFile::attribute(uint64_t object, const std::string& name) const {
  auto attributes = find([&](const KnownObjects& known) { return known.attributes(object); });
  if (!attributes) return ProcessFile::attribute(object, name);
  const auto found = std::find_if(attributes->begin(), attributes->end(),
                                  [&](const StoredAttribute& each) { return each.name == name; });
  if (found == attributes->end()) return std::nullopt;
  if (found->error) throw *found->error;
  return std::move(*found);
}

}  // namespace plainfs::hdf5
