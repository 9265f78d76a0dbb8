#include "formats/containers/hdf5/process/known_objects.h"

#include "formats/containers/hdf5/process/answers.h"

namespace plainfs::hdf5 {

KnownObjects::KnownObjects(Cursor& in, const FileLayout& layout) : layout_(layout) {
  if (in.remaining() > kMostOfTree)
    throw damaged("{} bytes, expected at most {}", in.remaining(), kMostOfTree);
  const ByteSpan rest = in.rest();
  bytes_.assign(rest.begin(), rest.end());
  const size_t start = in.position();
  while (!in.at_end()) {
    const auto address = in.little<uint64_t>();
    Place place{};
    place.facts = in.position() - start;
    read_object(in, layout);
    place.links = in.position() - start;
    read_links_if_known(in);
    place.attributes = in.position() - start;
    read_attributes_if_known(in, layout);
    if (!places_.emplace(address, place).second) throw damaged("two objects at address {}", address);
  }
}

std::optional<Cursor> KnownObjects::at(uint64_t address, size_t Place::*part) const {
  const auto found = places_.find(address);
  if (found == places_.end()) return std::nullopt;
  return Cursor(ByteSpan(bytes_).subspan(found->second.*part));
}

std::optional<StoredObjectFacts> KnownObjects::object(uint64_t address) const {
  std::optional<Cursor> in = at(address, &Place::facts);
  if (!in) return std::nullopt;
  return read_object(*in, layout_);
}

std::optional<std::vector<StoredLink>> KnownObjects::links(uint64_t group) const {
  std::optional<Cursor> in = at(group, &Place::links);
  return in ? read_links_if_known(*in) : std::nullopt;
}

std::optional<std::optional<StoredLink>> KnownObjects::find_link(uint64_t group,
                                                                 const std::string& name) const {
  std::optional<Cursor> in = at(group, &Place::links);
  if (!in || !read_flag(*in)) return std::nullopt;
  for (size_t count = read_count(*in); count > 0; --count) {
    StoredLink link = read_link(*in);
    if (link.name == name) return std::optional(std::move(link));
  }
  return std::optional<StoredLink>();
}

std::optional<std::vector<StoredAttribute>> KnownObjects::attributes(uint64_t object) const {
  std::optional<Cursor> in = at(object, &Place::attributes);
  return in ? read_attributes_if_known(*in, layout_) : std::nullopt;
}

}  // namespace plainfs::hdf5
