#include "formats/containers/netcdf/header.h"

#include <algorithm>
#include <limits>

#include "formats/containers/netcdf/format.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/model/elements/element_text.h"

namespace plainfs::netcdf {
namespace {

constexpr uint64_t kMaxHeaderBytes = uint64_t{64} << 20;
constexpr uint64_t kFirstBytes = 16 << 10;
constexpr uint64_t kMaxFetchedBytes = 1 << 20;  // at once, unless an item is larger
constexpr uint64_t kMaxRank = 1024;             // NC_MAX_VAR_DIMS

constexpr int kNewestVersion = 5;

// A reader of the big-endian numbers and padded texts of a header in their order. It fetches the file in
// growing pieces, and holds one of them.
class HeaderReader {
 public:
  HeaderReader(const File& file, int version) : file_(file), version_(version) { bytes(4); }

  ByteSpan bytes(uint64_t size) {
    const uint64_t end = checked_add(position_, size);
    if (position_ < buffer_start_ || end > buffer_start_ + buffer_.size()) fetch(end);
    const ByteSpan part = ByteSpan(buffer_).subspan(position_ - buffer_start_, size);
    position_ = end;
    return part;
  }
  // Skips elements of `size` bytes and the zeros that pad them.
  void skip_padded(uint64_t size) {
    const uint64_t end = checked_add(position_, checked_add(size, (4 - size % 4) % 4));
    check_end(end);
    position_ = end;
  }
  uint64_t position() const { return position_; }
  uint32_t word() { return load_big<uint32_t>(bytes(4).data()); }
  // Reads a count or a length: 64 bits in CDF-5, else 32.
  uint64_t count() { return version_ == 5 ? load_big<uint64_t>(bytes(8).data()) : word(); }
  uint64_t offset() { return version_ == 1 ? word() : load_big<uint64_t>(bytes(8).data()); }
  // Reads size bytes and skips the zeros that pad them to a multiple of 4.
  ByteSpan padded(uint64_t size) {
    const ByteSpan all = bytes(checked_add(size, (4 - size % 4) % 4));
    return all.first(size);
  }
  // Reads a name up to its first NUL. libnetcdf takes names as C strings, so a length that includes a NUL is
  // valid.
  std::string name() {
    const std::string_view text = as_text(padded(count()));
    return std::string(text.substr(0, text.find('\0')));
  }
  // Reads the tag and length of a list and returns the length. An empty list has no tag. least_bytes: the
  // smallest size of an item, which bounds the length.
  uint64_t list(Tag tag, uint64_t least_bytes) {
    const uint32_t found = word();
    const uint64_t length = count();
    if (found == kAbsent && length == 0) return 0;
    if (found != tag)
      throw damaged("the list at byte {} has the tag {}, expected {}", position_, found, uint32_t{tag});
    if (length > (file_.size() - position_) / least_bytes)
      throw damaged("the list at byte {} has {} items, more than fit into the file", position_, length);
    return length;
  }

 private:
  void check_end(uint64_t end) const {
    if (end > file_.size())
      throw damaged("the header ends at byte {}, expected at least {} bytes", file_.size(), end);
    if (end > kMaxHeaderBytes) throw unsupported("a NetCDF header of more than {} bytes", kMaxHeaderBytes);
  }
  void fetch(uint64_t end) {
    check_end(end);
    next_fetch_ = std::min(2 * next_fetch_, kMaxFetchedBytes);
    const uint64_t wanted = std::max(end, checked_add(position_, next_fetch_));
    buffer_.resize(std::min({wanted, file_.size(), kMaxHeaderBytes}) - position_);
    buffer_start_ = position_;
    file_.read_at(position_, buffer_);
  }

  const File& file_;
  const int version_;
  Bytes buffer_;
  uint64_t buffer_start_ = 0;
  uint64_t next_fetch_ = kFirstBytes / 2;
  uint64_t position_ = 0;
};

// Returns the type that the format gives code (nc_type). Types above 6 exist only in CDF-5.
DType type_of(uint32_t code, int version) {
  DType type;
  switch (code) {
    case kNcByte:
      return number_type(Kind::integer, 1);
    case kNcChar:
      type.kind = Kind::fixed_text;
      type.size = 1;
      return type;
    case kNcShort:
      return number_type(Kind::integer, 2, true);
    case kNcInt:
      return number_type(Kind::integer, 4, true);
    case kNcFloat:
      return number_type(Kind::real, 4, true);
    case kNcDouble:
      return number_type(Kind::real, 8, true);
  }
  if (version == 5 && code >= kNcUbyte && code <= kNcUint64) {
    constexpr uint32_t kSizes[] = {1, 2, 4, 8, 8};
    return number_type(code == kNcInt64 ? Kind::integer : Kind::unsigned_integer, kSizes[code - kNcUbyte],
                       true);
  }
  throw damaged("unknown NetCDF classic type {}", code);
}

StoredAttribute read_attribute(HeaderReader& in, int version) {
  StoredAttribute attribute;
  attribute.name = in.name();
  attribute.type = in.word();
  attribute.count = in.count();
  attribute.offset = in.position();
  const uint64_t size = checked_multiply(attribute.count, type_of(attribute.type, version).size);
  if (size > StoredAttribute::kMaxKeptBytes) {
    in.skip_padded(size);
  } else {
    const ByteSpan elements = in.padded(size);
    attribute.elements.assign(elements.begin(), elements.end());
  }
  return attribute;
}

StoredAttributes read_attributes(HeaderReader& in, int version) {
  StoredAttributes attributes;
  for (uint64_t left = in.list(kAttributes, 12); left > 0; --left)
    attributes.push_back(read_attribute(in, version));
  return attributes;
}

Json text_of(ByteSpan stored) {
  std::string_view text = as_text(stored);
  while (text.ends_with('\0')) text.remove_suffix(1);
  return Json(text);
}

void add_numbers(const DType& type, ByteSpan stored, JsonList& values) {
  const uint64_t count = stored.size() / type.size;
  const Elements elements = unpack(type, stored, count);
  for (uint64_t i = 0; i < count; ++i) values.add(json_of(type, elements, i), 1);
}

// Reads the value of an attribute from the file.
Json read_value(const File& file, const DType& type, uint64_t offset, uint64_t count) {
  constexpr uint64_t kCountAtOnce = 1 << 16;
  if (type.kind == Kind::fixed_text) return text_of(file.read_at(offset, count));
  JsonList values;
  for (uint64_t i = 0; i < count; i += kCountAtOnce)
    add_numbers(type, file.read_at(offset + i * type.size, std::min(kCountAtOnce, count - i) * type.size),
                values);
  return values.take();
}

Attribute attribute_of(const StoredAttribute& stored, const FilePtr& file) {
  const auto type = std::make_shared<const DType>(type_of(stored.type, kNewestVersion));
  const bool is_text = type->kind == Kind::fixed_text;
  const std::shared_ptr<const DType> shown_type = is_text ? nullptr : type;
  if (stored.count > 0 && stored.elements.empty())
    return {stored.name,
            [type, file, offset = stored.offset, count = stored.count] {
              return read_value(*file, *type, offset, count);
            },
            shown_type};
  if (is_text) return {stored.name, text_of(stored.elements)};
  JsonList values;
  add_numbers(*type, stored.elements, values);
  return {stored.name, values.take(), shown_type};
}

Variable read_variable(HeaderReader& in, const Header& header) {
  Variable variable;
  variable.name = in.name();
  const uint64_t rank = in.count();
  if (rank > kMaxRank) throw damaged("variable {} has {} dimensions", variable.name, rank);
  for (uint64_t axis = 0; axis < rank; ++axis) {
    const uint64_t dimension = in.count();
    if (dimension >= header.dimensions.size())
      throw damaged("variable {} has dimension {}, but there are {}", variable.name, dimension,
                    header.dimensions.size());
    if (header.dimensions[dimension].is_record && axis > 0)
      throw damaged("variable {} has the record dimension as dimension {}", variable.name, axis);
    variable.is_record = variable.is_record || header.dimensions[dimension].is_record;
    variable.dimensions.push_back(dimension);
  }
  variable.attributes = read_attributes(in, header.version);
  variable.type = type_of(in.word(), header.version);
  in.count();  // vsize follows from the shape, and is wrong in files that netcdf-c reads
  variable.begin = in.offset();
  return variable;
}

// Returns the size in bytes of one record of a variable, or of the whole variable if it has no records.
uint64_t slab_size(const Header& header, const Variable& variable) {
  uint64_t size = variable.type.size;
  for (size_t axis = variable.is_record; axis < variable.dimensions.size(); ++axis)
    size = checked_multiply(size, header.dimensions[variable.dimensions[axis]].length);
  return size;
}

// Returns the bytes from one record to the next. Slabs are padded to 4 bytes unless there is only one record
// variable.
uint64_t record_size(const Header& header) {
  uint64_t size = 0, slab = 0;
  int records = 0;
  for (const Variable& variable : header.variables) {
    if (!variable.is_record) continue;
    slab = slab_size(header, variable);
    size = checked_add(size, checked_add(slab, (4 - slab % 4) % 4));
    ++records;
  }
  return records == 1 ? slab : size;
}

// Returns the number of whole records that fit into the file, for a file that was streamed and does not
// record their number.
uint64_t records_in_file(const Header& header, uint64_t file_size) {
  uint64_t begin = UINT64_MAX;
  for (const Variable& variable : header.variables)
    if (variable.is_record) begin = std::min(begin, variable.begin);
  if (begin >= file_size || header.record_size == 0) return 0;
  return (file_size - begin) / header.record_size;
}

}  // namespace

std::optional<int> version_of(ByteSpan first_bytes) {
  if (first_bytes.size() < 4 || as_text(first_bytes.first(3)) != "CDF") return std::nullopt;
  const auto version = static_cast<uint8_t>(first_bytes[3]);
  return version == 1 || version == 2 || version == 5 ? std::optional<int>(version) : std::nullopt;
}

Shape Header::shape_of(const Variable& variable) const {
  Shape shape;
  for (const uint64_t dimension : variable.dimensions) shape.push_back(dimensions[dimension].length);
  return shape;
}

Attributes attributes_of(const StoredAttributes& stored, const FilePtr& file) {
  Attributes attributes;
  for (const StoredAttribute& attribute : stored) attributes.push_back(attribute_of(attribute, file));
  return attributes;
}

Header read_header(const File& file) {
  const std::optional<int> version = version_of(file.read_at(0, 4));
  if (!version) throw damaged("the file does not begin with CDF and a version");
  HeaderReader in(file, *version);
  Header header;
  header.version = *version;
  const uint64_t records = in.count();
  const bool is_stream = records == (*version == 5 ? UINT64_MAX : UINT32_MAX);
  for (uint64_t left = in.list(kDimensions, 8); left > 0; --left) {
    std::string name = in.name();
    const uint64_t length = in.count();
    header.dimensions.push_back({std::move(name), length, length == 0});
  }
  if (std::count_if(header.dimensions.begin(), header.dimensions.end(),
                    [](const Dimension& dimension) { return dimension.is_record; }) > 1)
    throw damaged("more than one record dimension");
  header.attributes = read_attributes(in, *version);
  for (uint64_t left = in.list(kVariables, 24); left > 0; --left)
    header.variables.push_back(read_variable(in, header));
  header.record_size = record_size(header);
  for (Dimension& dimension : header.dimensions)
    if (dimension.is_record) dimension.length = is_stream ? records_in_file(header, file.size()) : records;
  return header;
}

}  // namespace plainfs::netcdf
