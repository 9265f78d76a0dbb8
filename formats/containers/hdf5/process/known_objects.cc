#include "formats/containers/hdf5/process/known_objects.h"

#include "formats/containers/hdf5/process/answers.h"

namespace plainfs::hdf5 {

using KnownLinks = decltype(KnownObject::links);
using KnownAttributes = decltype(KnownObject::attributes);

KnownObjects::KnownObjects(Reader& in) : layout_(in.layout()) {
  if (in.remaining() > kMaxOfTree) throw damaged("{} bytes, expected at most {}", in.remaining(), kMaxOfTree);
  const ByteSpan rest = in.rest();
  bytes_.assign(rest.begin(), rest.end());
  const size_t start = in.position();
  while (!in.at_end()) {
    const auto address = in.little<uint64_t>();
    Place place{};
    place.facts = in.position() - start;
    in.read<StoredObjectFacts>();
    place.links = in.position() - start;
    in.read<KnownLinks>();
    place.attributes = in.position() - start;
    in.read<KnownAttributes>();
    if (!places_.emplace(address, place).second) throw damaged("two objects at address {}", address);
  }
}

std::optional<Reader> KnownObjects::at(uint64_t address, size_t Place::*part) const {
  const auto found = places_.find(address);
  if (found == places_.end()) return std::nullopt;
  return Reader(ByteSpan(bytes_).subspan(found->second.*part), layout_);
}

std::optional<StoredObjectFacts> KnownObjects::object(uint64_t address) const {
  std::optional<Reader> in = at(address, &Place::facts);
  if (!in) return std::nullopt;
  return in->read<StoredObjectFacts>();
}

std::optional<std::vector<StoredLink>> KnownObjects::links(uint64_t group) const {
  std::optional<Reader> in = at(group, &Place::links);
  return in ? in->read<KnownLinks>() : std::nullopt;
}

std::optional<std::optional<StoredLink>> KnownObjects::find_link(uint64_t group,
                                                                 const std::string& name) const {
  std::optional<Reader> in = at(group, &Place::links);
  if (!in || !in->read<bool>()) return std::nullopt;
  for (size_t count = in->count(); count > 0; --count) {
    auto link = in->read<StoredLink>();
    if (link.name == name) return std::optional(std::move(link));
  }
  return std::optional<StoredLink>();
}

std::optional<std::vector<StoredAttribute>> KnownObjects::attributes(uint64_t object) const {
  std::optional<Reader> in = at(object, &Place::attributes);
  return in ? in->read<KnownAttributes>() : std::nullopt;
}

}  // namespace plainfs::hdf5
