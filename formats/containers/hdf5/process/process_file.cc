#include "formats/containers/hdf5/process/known_file.h"

#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array.h"

namespace plainfs::hdf5 {

ProcessFile::ProcessFile(const std::string& location, Context& context, LibraryProcesses& processes)
    : processes_(processes),
      file_{location, &context, processes.new_file_number(), context.files.open(location)} {
  processes_.open(file_);
}

ProcessFile::~ProcessFile() {
  processes_.close(file_);
}

Writer ProcessFile::about(std::initializer_list<uint64_t> numbers) const {
  Writer question;
  question(file_.number);
  for (const uint64_t number : numbers) question(number);
  return question;
}

StoredObjectFacts ProcessFile::object(uint64_t address) const {
  const FoundObject found = processes_.ask(file_, Ask::objects, about({address}), address,
                                           [](Reader& in, ByteSpan) { return in.read<FoundObject>(); });
  if (found.error) throw *found.error;
  return found.facts;
}

std::vector<FoundObject> ProcessFile::objects_together(const std::vector<uint64_t>& addresses) const {
  Writer question = about({});
  for (const uint64_t address : addresses) question(address);
  return processes_.ask(file_, Ask::objects, question, ~addresses[0], [&](Reader& in, ByteSpan) {
    std::vector<FoundObject> found;
    while (found.size() < addresses.size()) found.push_back(in.read<FoundObject>());
    return found;
  });
}

// If one object ends the library, asks about each separately, so that the others can be read.
std::vector<FoundObject> ProcessFile::objects(const std::vector<uint64_t>& addresses) const {
  if (addresses.size() > 1) processes_.ahead().listed(file_.number, addresses);
  try {
    if (addresses.size() > 1) return objects_together(addresses);
  } catch (const LibraryEnded&) {
  }
  return LibraryFile::objects(addresses);
}

std::vector<StoredLink> ProcessFile::links(uint64_t group) const {
  return processes_.ask(file_, Ask::links, about({group}), group,
                        [](Reader& in, ByteSpan) { return in.read<std::vector<StoredLink>>(); });
}

std::optional<StoredLink> ProcessFile::find_link(uint64_t group, const std::string& name) const {
  Writer question = about({group});
  question(name);
  return processes_.ask(file_, Ask::find_link, question, group,
                        [](Reader& in, ByteSpan) { return in.read<std::optional<StoredLink>>(); });
}

std::vector<FoundAttributes> ProcessFile::attributes_together(const std::vector<uint64_t>& objects) const {
  Writer question = about({});
  for (const uint64_t object : objects) question(object);
  const uint64_t key = objects.size() > 1 ? ~objects[0] : objects[0];
  return processes_.ask(file_, Ask::attributes, question, key, [&](Reader& in, ByteSpan) {
    std::vector<FoundAttributes> found;
    do {
      found.push_back(in.read<FoundAttributes>());
    } while (!in.at_end() && found.size() < objects.size());
    return found;
  });
}

// Returns the attributes of object. Also reads and keeps those of the next objects.
FoundAttributes ProcessFile::fetch_attributes(uint64_t object) const {
  const std::vector<uint64_t> objects = processes_.ahead().with_next(file_.number, object);
  try {
    std::vector<FoundAttributes> found = attributes_together(objects);
    processes_.ahead().keep(file_.number, objects, found);
    return std::move(found[0]);
  } catch (const LibraryEnded&) {
    if (objects.size() == 1) throw;
  }
  return std::move(attributes_together({object})[0]);
}

std::vector<StoredAttribute> ProcessFile::attributes(uint64_t object) const {
  std::optional<FoundAttributes> found = processes_.ahead().find(file_.number, object);
  if (found)
    file_.bytes->check_unchanged();
  else
    found = fetch_attributes(object);
  if (found->error) throw *found->error;
  return std::move(found->attributes);
}

std::optional<StoredAttribute> ProcessFile::attribute(uint64_t object, const std::string& name) const {
  Writer question = about({object});
  question(name);
  return processes_.ask(file_, Ask::attribute, question, object,
                        [](Reader& in, ByteSpan) { return in.read<std::optional<StoredAttribute>>(); });
}

std::optional<KnownObjects> ProcessFile::tree(uint64_t object, uint64_t most) const {
  try {
    return processes_.ask(file_, Ask::tree, about({object, most}), object,
                          [](Reader& in, ByteSpan) { return KnownObjects(in); });
  } catch (const LibraryEnded&) {  // questions about single objects will find the one to blame
    return std::nullopt;
  }
}

void ProcessFile::read(uint64_t dataset, uint64_t element_size, const Box& box, const Shape& block_shape,
                       const Shape& target, std::byte* out) const {
  Writer question = about({dataset, element_size});
  question(box.origin, box.extent);
  const size_t size = checked_size(element_count(box.extent), element_size);
  processes_.ask(file_, Ask::read, question, dataset, [&](Reader& in, ByteSpan shared) {
    const bool is_shared = in.read<bool>();
    if (is_shared && size > shared.size())
      throw damaged("{} bytes, expected at most {}", size, shared.size());
    const ByteSpan elements = is_shared ? shared.first(size) : in.bytes(size);
    copy_box(element_size, elements.data(), box.extent, {Shape(box.extent.size(), 0), box.extent}, out,
             block_shape, target);
    return 0;
  });
}

std::optional<StoredChunkBytes> ProcessFile::read_chunk(uint64_t dataset, const Shape& origin) const {
  Writer question = about({dataset});
  question(origin);
  std::optional<StoredChunkBytes> chunk =
      processes_.ask(file_, Ask::read_chunk, question, dataset,
                     [](Reader& in, ByteSpan) { return in.read<std::optional<StoredChunkBytes>>(); });
  if (chunk && (chunk->bytes.empty() || chunk->bytes.size() > bytes()->size()))
    throw damaged("invalid chunk: {} bytes", chunk->bytes.size());
  return chunk;
}

}  // namespace plainfs::hdf5
