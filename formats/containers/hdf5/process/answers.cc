#include "formats/containers/hdf5/process/answers.h"

#include <utility>

#include "formats/core/base/checked.h"

namespace plainfs::hdf5 {
namespace {

void write_external(Writer& out, const ExternalStretch& stretch) {
  out.text(stretch.file);
  out.number(stretch.offset);
  out.number(stretch.size);
}

ExternalStretch read_external(Cursor& in) {
  std::string file = read_text(in);
  const auto offset = in.little<int64_t>();
  return {std::move(file), offset, in.little<uint64_t>()};
}

void write_filter(Writer& out, const StoredFilter& filter) {
  out.number(filter.number);
  out.flag(filter.library_has_it);
  write_list(out, filter.values, [](Writer& to, unsigned value) { to.number(value); });
}

StoredFilter read_filter(Cursor& in) {
  const auto number = in.little<unsigned>();
  const bool library_has_it = read_flag(in);
  return {number, read_list<unsigned>(in, [](Cursor& from) { return from.little<unsigned>(); }),
          library_has_it};
}

void write_dataset(Writer& out, const StoredDataset& dataset) {
  write_optional(out, dataset.error, write_error);
  const bool has_extent = dataset.extent.type.size != 0;  // otherwise its type could not be read
  out.flag(has_extent);
  if (has_extent) {
    write_extent(out, dataset.extent);
  } else {
    out.flag(dataset.extent.is_null);
    write_shape(out, dataset.extent.dataset_shape);
  }
  out.choice(dataset.layout);
  write_optional(out, dataset.offset, [](Writer& to, uint64_t offset) { to.number(offset); });
  out.number(dataset.stored_bytes);
  write_list(out, dataset.external, write_external);
  write_shape(out, dataset.chunk_shape);
  write_list(out, dataset.filters, write_filter);
  out.flag(dataset.has_btree);
  out.flag(dataset.partial_unfiltered);
}

StoredDataset read_dataset(Cursor& in, const FileLayout& layout) {
  StoredDataset dataset;
  dataset.error = read_optional<Error>(in, read_error);
  dataset.extent.type.dtype = number_type(Kind::integer, 1);
  if (read_flag(in)) {
    dataset.extent = read_extent(in, layout);
  } else {
    if (!dataset.error) throw damaged("a dataset has no type");
    dataset.extent.is_null = read_flag(in);
    dataset.extent.dataset_shape = dataset.extent.shape = read_shape(in);
    element_count(dataset.extent.shape);
  }
  dataset.layout = read_choice(in, StoredDataset::Layout::virtual_sources);
  dataset.offset = read_optional<uint64_t>(in, [](Cursor& from) { return from.little<uint64_t>(); });
  dataset.stored_bytes = in.little<uint64_t>();
  dataset.external = read_list<ExternalStretch>(in, read_external);
  dataset.chunk_shape = read_shape(in);
  dataset.filters = read_list<StoredFilter>(in, read_filter);
  dataset.has_btree = read_flag(in);
  dataset.partial_unfiltered = read_flag(in);
  const size_t rank = dataset.extent.dataset_shape.size();
  const bool is_read = !dataset.error && !dataset.extent.is_null;
  if (is_read && dataset.layout == StoredDataset::Layout::chunked &&
      (rank == 0 || dataset.chunk_shape.size() != rank))
    throw damaged("chunks of rank {} in a dataset of rank {}", dataset.chunk_shape.size(), rank);
  return dataset;
}

}  // namespace

void write_error(Writer& out, const Error& error) {
  out.choice(error.code());
  out.text(error.what());
}

Error read_error(Cursor& in) {
  const Errc code = read_choice(in, Errc::unknown_format);
  return Error(code, read_text(in));
}

void write_opened(Writer& out, const OpenedFacts& facts) {
  out.number(facts.layout.base_address);
  out.number(facts.layout.address_size);
  out.number(facts.layout.length_size);
  out.number(facts.superblock_version);
  out.number(facts.root_address);
  out.number(facts.fingerprint);
}

OpenedFacts read_opened(Cursor& in) {
  OpenedFacts facts;
  facts.layout.base_address = in.little<uint64_t>();
  facts.layout.address_size = in.little<unsigned>();
  facts.layout.length_size = in.little<unsigned>();
  facts.superblock_version = in.little<unsigned>();
  facts.root_address = in.little<uint64_t>();
  facts.fingerprint = in.little<uint64_t>();
  for (const unsigned size : {facts.layout.address_size, facts.layout.length_size})
    if (size < 2 || size > 8) throw damaged("invalid addresses or lengths: {} bytes", size);
  return facts;
}

void write_object(Writer& out, const StoredObjectFacts& object) {
  out.choice(object.kind);
  if (object.kind == ObjectKind::dataset) write_dataset(out, object.dataset);
}

StoredObjectFacts read_object(Cursor& in, const FileLayout& layout) {
  StoredObjectFacts object;
  object.kind = read_choice(in, ObjectKind::other);
  if (object.kind == ObjectKind::dataset) object.dataset = read_dataset(in, layout);
  return object;
}

void write_link(Writer& out, const StoredLink& link) {
  out.text(link.name);
  out.choice(link.kind);
  out.number(link.address);
  out.text(link.file);
  out.text(link.path);
  write_optional(out, link.error, write_error);
}

StoredLink read_link(Cursor& in) {
  StoredLink link;
  link.name = read_text(in);
  link.kind = read_choice(in, StoredLink::Kind::other);
  link.address = in.little<uint64_t>();
  link.file = read_text(in);
  link.path = read_text(in);
  link.error = read_optional<Error>(in, read_error);
  return link;
}

void write_attribute(Writer& out, const StoredAttribute& attribute) {
  out.text(attribute.name);
  write_optional(out, attribute.error, write_error);
  if (attribute.error) return;
  write_extent(out, attribute.extent);
  out.sized(attribute.stored);
}

StoredAttribute read_attribute(Cursor& in, const FileLayout& layout) {
  StoredAttribute attribute;
  attribute.name = read_text(in);
  attribute.error = read_optional<Error>(in, read_error);
  if (attribute.error) return attribute;
  attribute.extent = read_extent(in, layout);
  const ByteSpan stored = read_sized(in);
  const uint64_t count = attribute.extent.is_null ? 0 : element_count(attribute.extent.dataset_shape);
  if (stored.size() != checked_multiply(count, attribute.extent.stored_size))
    throw damaged("attribute {}: {} bytes for {} elements", attribute.name, stored.size(), count);
  attribute.stored.assign(stored.begin(), stored.end());
  return attribute;
}

void write_known(Writer& out, const KnownObject& object) {
  write_object(out, object.facts);
  write_optional(out, object.links, [](Writer& to, const auto& links) { write_list(to, links, write_link); });
  write_optional(out, object.attributes,
                 [](Writer& to, const auto& attributes) { write_list(to, attributes, write_attribute); });
}

std::optional<std::vector<StoredLink>> read_links_if_known(Cursor& in) {
  return read_optional<std::vector<StoredLink>>(
      in, [](Cursor& from) { return read_list<StoredLink>(from, read_link); });
}

std::optional<std::vector<StoredAttribute>> read_attributes_if_known(Cursor& in, const FileLayout& layout) {
  return read_optional<std::vector<StoredAttribute>>(in, [&](Cursor& from) {
    return read_list<StoredAttribute>(from, [&](Cursor& each) { return read_attribute(each, layout); });
  });
}

void write_chunk(Writer& out, const StoredChunkBytes& chunk) {
  out.number(chunk.filter_mask);
  out.sized(chunk.bytes);
}

StoredChunkBytes read_chunk(Cursor& in) {
  const auto mask = in.little<uint32_t>();
  const ByteSpan bytes = read_sized(in);
  return {Bytes(bytes.begin(), bytes.end()), mask};
}

}  // namespace plainfs::hdf5
