#include "fs/views/images/tiff.h"

#include <algorithm>
#include <cstring>

#include "formats/core/base/checked.h"
#include "formats/core/base/encode.h"
#include "fs/layout/array_segment.h"

namespace plainfs {

namespace {

constexpr uint64_t kPage = 4096;  // pixels begin at a multiple of this

uint64_t rounded_up(uint64_t value, uint64_t unit) {
  return checked_multiply(divide_up(value, unit), unit);
}

enum TiffFieldType : uint16_t {
  kTextField = 2,
  kShortField = 3,
  kLongField = 4,
  kRationalField = 5,
  kLong8Field = 16,
  kIfd8Field = 18
};

struct TiffField {
  uint16_t tag;
  TiffFieldType type;
  uint64_t count;
  uint64_t value;  // the only number, or the offset of the list
};

// The sizes of numbers in a form of TIFF.
struct TiffWidths {
  uint32_t entries, count, offset;
  TiffFieldType long_type;

  uint64_t directory(uint64_t fields) const { return entries + fields * (4 + count + offset) + offset; }
};
constexpr TiffWidths kBig{8, 8, 8, kLong8Field}, kClassic{2, 4, 4, kLongField};

// The offsets of all parts. A plane's pixels are those of its levels, the largest first. A level's pixels are
// its pieces (tiles of equal size, or strips), row by row.
struct TiffPlaces {
  struct Level {
    uint64_t width, height;
    uint64_t across, pieces;           // pieces in a row, and in total
    uint64_t piece_bytes, last_bytes;  // of the last piece
    uint64_t begin, end;               // among the plane's pixels
  };
  std::vector<Level> levels;
  uint64_t planes = 1;
  uint64_t plane_bytes = 0;
  uint64_t pixels_begin = 0;  // in the file
};

// A part of a plane's directories, in the order of the file.
struct TiffPart {
  enum Kind { directory, children, offsets, counts } kind;
  size_t level;
  uint64_t begin, end;  // from the plane's first directory
};

class TiffFile {
 public:
  explicit TiffFile(TiffPlan plan) : plan_(std::move(plan)), widths_(plan_.is_big ? kBig : kClassic) {
    const Shape& shape = plan_.levels.front().values->shape();
    for (const size_t axis : plan_.plane_axes)
      geometry_.planes = checked_multiply(geometry_.planes, shape[axis]);
    for (const TiffLevel& level : plan_.levels) add_level(level);
    head_ = head();
    first_parts_ = parts_of(0);
    other_parts_ = parts_of(1);
    geometry_.pixels_begin = rounded_up(checked_add(head_.size(), directories_size()), kPage);
    const uint64_t size =
        checked_add(geometry_.pixels_begin, checked_multiply(geometry_.planes, geometry_.plane_bytes));
    if (size > (plan_.is_big ? uint64_t{INT64_MAX} : uint64_t{UINT32_MAX}))
      throw unsupported("a TIFF of {} bytes{}", size, plan_.is_big ? "" : ", more than 4,294,967,295");
  }

  const TiffPlaces& geometry() const { return geometry_; }
  const TiffPlan& plan() const { return plan_; }
  const std::string& head() const { return head_; }
  uint64_t directories_size() const {
    return checked_add(first_parts_.back().end,
                       checked_multiply(geometry_.planes - 1, other_parts_.back().end));
  }
  const std::vector<TiffPart>& parts(uint64_t plane) const {
    return plane == 0 ? first_parts_ : other_parts_;
  }
  // Returns the beginning of a plane's directories, from the first plane's on.
  uint64_t block_begin(uint64_t plane) const {
    return plane == 0 ? 0 : first_parts_.back().end + (plane - 1) * other_parts_.back().end;
  }
  uint64_t plane_at(uint64_t offset) const {
    const uint64_t first = first_parts_.back().end;
    return offset < first ? 0 : 1 + (offset - first) / other_parts_.back().end;
  }
  uint32_t number_width() const { return widths_.offset; }
  std::string directory(uint64_t plane, size_t level) const;
  // Returns the i-th number of a part that is a list.
  uint64_t number(const TiffPart& part, uint64_t plane, uint64_t i) const;

 private:
  void add_level(const TiffLevel& level);
  std::string head();
  std::vector<TiffPart> parts_of(uint64_t plane) const;
  std::vector<TiffField> fields(uint64_t plane, size_t level) const;
  bool has_resolution() const { return plan_.pixel_millionths[0] > 0 && plan_.pixel_millionths[1] > 0; }
  size_t field_count(uint64_t plane, size_t level) const {
    constexpr size_t kTiled = 14, kStrips = 13, kResolution = 3;
    return (plan_.is_big ? kTiled : kStrips) + (has_resolution() ? kResolution : 0) +
           (level == 0 && plan_.levels.size() > 1) + (level == 0 && plane == 0);
  }
  const TiffPart* find(uint64_t plane, TiffPart::Kind kind, size_t level) const;

  const TiffPlan plan_;
  const TiffWidths widths_;
  TiffPlaces geometry_;
  std::string head_;
  uint64_t description_at_ = 0, software_at_ = 0, resolution_at_ = 0;
  std::vector<TiffPart> first_parts_, other_parts_;
};

void TiffFile::add_level(const TiffLevel& level) {
  const Shape& shape = level.values->shape();
  TiffPlaces::Level generated{};
  generated.width = shape[shape.size() - 1];
  generated.height = shape[shape.size() - 2];
  if (std::max(generated.width, generated.height) > UINT32_MAX)
    throw unsupported("a TIFF of {} by {} pixels", generated.width, generated.height);
  const uint64_t size = plan_.type.form.size, down = divide_up(generated.height, level.tile_height);
  generated.across = plan_.is_big ? divide_up(generated.width, level.tile_width) : 1;
  generated.pieces = checked_multiply(generated.across, down);
  const uint64_t row = checked_multiply(plan_.is_big ? level.tile_width : generated.width, size);
  generated.piece_bytes = generated.last_bytes = checked_multiply(row, level.tile_height);
  if (!plan_.is_big) generated.last_bytes = row * (generated.height - (down - 1) * level.tile_height);
  generated.begin = geometry_.plane_bytes;
  generated.end = geometry_.plane_bytes = checked_add(
      generated.begin,
      checked_add(checked_multiply(generated.pieces - 1, generated.piece_bytes), generated.last_bytes));
  geometry_.levels.push_back(generated);
}

// Returns the header and the texts.
std::string TiffFile::head() {
  std::string head = plan_.is_big ? std::string("II\x2b\0\x08\0\0\0", 8) : std::string("II\x2a\0", 4);
  const size_t first_at = head.size();
  head.resize(first_at + widths_.offset);
  const auto put = [&](const std::string& text) {
    const uint64_t at = head.size();
    head += text;
    head.resize(rounded_up(head.size() + 1, 8));
    return at;
  };
  description_at_ = put(plan_.description);
  software_at_ = put(plan_.software);
  resolution_at_ = head.size();
  for (const uint32_t millionths : plan_.pixel_millionths) {
    if (!has_resolution()) break;
    append_little(head, 1'000'000, 4);
    append_little(head, millionths, 4);
  }
  std::string first;
  append_little(first, head.size(), widths_.offset);
  head.replace(first_at, first.size(), first);
  return head;
}

std::vector<TiffPart> TiffFile::parts_of(uint64_t plane) const {
  std::vector<TiffPart> parts;
  uint64_t at = 0;
  const auto add = [&](TiffPart::Kind kind, size_t level, uint64_t size) {
    parts.push_back({kind, level, at, checked_add(at, size)});
    at = parts.back().end;
  };
  for (size_t level = 0; level < geometry_.levels.size(); ++level) {
    add(TiffPart::directory, level, rounded_up(widths_.directory(field_count(plane, level)), 8));
    const size_t below = geometry_.levels.size() - 1;
    if (level == 0 && below > 1) add(TiffPart::children, level, below * widths_.offset);
    const uint64_t pieces = geometry_.levels[level].pieces;
    if (pieces == 1) continue;
    add(TiffPart::offsets, level, checked_multiply(pieces, widths_.offset));
    add(TiffPart::counts, level, checked_multiply(pieces, widths_.offset));
  }
  return parts;
}

const TiffPart* TiffFile::find(uint64_t plane, TiffPart::Kind kind, size_t level) const {
  for (const TiffPart& part : parts(plane))
    if (part.kind == kind && part.level == level) return &part;
  return nullptr;
}

uint64_t TiffFile::number(const TiffPart& part, uint64_t plane, uint64_t i) const {
  const TiffPlaces::Level& level = geometry_.levels[part.level];
  switch (part.kind) {
    case TiffPart::children:
      return head_.size() + block_begin(plane) + find(plane, TiffPart::directory, i + 1)->begin;
    case TiffPart::offsets:
      return geometry_.pixels_begin + plane * geometry_.plane_bytes + level.begin + i * level.piece_bytes;
    case TiffPart::counts:
      return i + 1 == level.pieces ? level.last_bytes : level.piece_bytes;
    case TiffPart::directory:
      break;
  }
  return 0;
}

std::vector<TiffField> TiffFile::fields(uint64_t plane, size_t level) const {
  const TiffPlaces::Level& shape = geometry_.levels[level];
  const TiffLevel& tiles = plan_.levels[level];
  // Returns a field with the only number of a list, or the offset of the list.
  const auto listed = [&](uint16_t tag, TiffFieldType type, TiffPart::Kind kind,
                          uint64_t count) -> TiffField {
    const TiffPart* part = find(plane, kind, level);
    return {tag, type, count,
            part ? head_.size() + block_begin(plane) + part->begin : number({kind, level, 0, 0}, plane, 0)};
  };
  std::vector<TiffField> fields{
      {254, kLongField, 1, level > 0},
      {256, kLongField, 1, shape.width},
      {257, kLongField, 1, shape.height},
      {258, kShortField, 1, uint64_t{8} * plan_.type.form.size},
      {259, kShortField, 1, 1},
      {262, kShortField, 1, 1},
      {277, kShortField, 1, 1},
      {284, kShortField, 1, 1},
      {305, kTextField, plan_.software.size() + 1, software_at_},
      {339, kShortField, 1, plan_.type.sample_format},
      listed(plan_.is_big ? 324 : 273, widths_.long_type, TiffPart::offsets, shape.pieces),
      listed(plan_.is_big ? 325 : 279, widths_.long_type, TiffPart::counts, shape.pieces)};
  if (plan_.is_big) {
    fields.push_back({322, kLongField, 1, tiles.tile_width});
    fields.push_back({323, kLongField, 1, tiles.tile_height});
  } else {
    fields.push_back({278, kLongField, 1, tiles.tile_height});
  }
  if (has_resolution()) {
    fields.push_back({282, kRationalField, 1, resolution_at_});
    fields.push_back({283, kRationalField, 1, resolution_at_ + 8});
    fields.push_back({296, kShortField, 1, 1});  // a unit that TIFF does not have
  }
  if (level == 0 && plane == 0)
    fields.push_back({270, kTextField, plan_.description.size() + 1, description_at_});
  if (level == 0 && geometry_.levels.size() > 1)
    fields.push_back(listed(330, kIfd8Field, TiffPart::children, geometry_.levels.size() - 1));
  std::sort(fields.begin(), fields.end(),
            [](const TiffField& a, const TiffField& b) { return a.tag < b.tag; });
  return fields;
}

std::string TiffFile::directory(uint64_t plane, size_t level) const {
  std::string bytes;
  const std::vector<TiffField> fields = this->fields(plane, level);
  append_little(bytes, fields.size(), widths_.entries);
  for (const TiffField& field : fields) {
    append_little(bytes, field.tag, 2);
    append_little(bytes, field.type, 2);
    append_little(bytes, field.count, widths_.count);
    append_little(bytes, field.value, widths_.offset);
  }
  const bool is_last = level > 0 || plane + 1 == geometry_.planes;
  append_little(bytes, is_last ? 0 : head_.size() + block_begin(plane + 1), widths_.offset);
  bytes.resize(rounded_up(bytes.size(), 8));
  return bytes;
}

using TiffFilePtr = std::shared_ptr<const TiffFile>;

class TiffDirectories : public Segment {
 public:
  explicit TiffDirectories(TiffFilePtr file) : file_(std::move(file)) {}

  uint64_t size() const override { return file_->directories_size(); }
  void read(const Wanted& wanted) const override {
    uint64_t at = wanted.offset;
    for (std::span<std::byte> out = wanted.out; !out.empty();) {
      const uint64_t plane = file_->plane_at(at), begin = file_->block_begin(plane);
      const std::vector<TiffPart>& parts = file_->parts(plane);
      const auto part = std::partition_point(parts.begin(), parts.end(),
                                             [&](const TiffPart& each) { return begin + each.end <= at; });
      const uint64_t from = at - begin - part->begin;
      const size_t some = std::min<uint64_t>(out.size(), begin + part->end - at);
      read_part(*part, plane, {from, out.first(some)});
      out = out.subspan(some);
      at += some;
    }
  }

 private:
  void read_part(const TiffPart& part, uint64_t plane, const Wanted& wanted) const {
    if (part.kind == TiffPart::directory) {
      const std::string bytes = file_->directory(plane, part.level);
      std::memcpy(wanted.out.data(), bytes.data() + wanted.offset, wanted.out.size());
      return;
    }
    const uint32_t width = file_->number_width();
    read_elements(wanted, width, [&](uint64_t first, uint64_t count, std::byte* out) {
      for (uint64_t i = 0; i < count; ++i, out += width) {
        const uint64_t number = file_->number(part, plane, first + i);
        std::memcpy(out, &number,
                    width);  // little-endian, like this machine (formats/core/model/elements/packing.cc)
      }
    });
  }

  const TiffFilePtr file_;
};

class TiffPixels : public Segment {
 public:
  explicit TiffPixels(TiffFilePtr file) : file_(std::move(file)) {}

  uint64_t size() const override { return file_->geometry().planes * file_->geometry().plane_bytes; }

  void read(const Wanted& wanted) const override {
    uint64_t at = wanted.offset;
    for (std::span<std::byte> out = wanted.out; !out.empty();) {
      const Place place = place_at(at);
      const size_t some = std::min<uint64_t>(out.size(), place.bytes - place.within);
      pixels_at(place)->read({place.within, out.first(some), wanted.sequential});
      out = out.subspan(some);
      at += some;
    }
  }

  std::optional<std::byte> same_byte(uint64_t begin, uint64_t end) const override {
    std::optional<std::byte> same;
    while (begin < end) {
      const Place place = place_at(begin);
      const uint64_t some = std::min(end - begin, place.bytes - place.within);
      const std::optional<std::byte> its = pixels_at(place)->same_byte(place.within, place.within + some);
      if (!its || (same && same != its)) return std::nullopt;
      same = its;
      begin += some;
    }
    return same;
  }

  // Drops every box with a last byte in the range.
  void release(uint64_t begin, uint64_t end) const override {
    while (begin < end) {
      const Place place = place_at(begin);
      const uint64_t left = place.bytes - place.within;
      if (left > end - begin) return;
      Box box{{}, box_of(place.level)};
      box.origin = origin_of(place, box.extent);
      const Shape& shape = values(place.level)->shape();
      for (size_t axis = 0; axis < shape.size(); ++axis)
        box.extent[axis] = std::min(box.extent[axis], shape[axis] - box.origin[axis]);
      values(place.level)->release(box);
      begin += left;
    }
  }

 private:
  // A box of contiguous pixels: a tile, or the plane of a level in strips.
  struct Place {
    uint64_t plane;
    size_t level;
    uint64_t number;         // of the box in its level
    uint64_t within, bytes;  // in the box
  };

  const ArrayPtr& values(size_t level) const { return file_->plan().levels[level].values; }

  Place place_at(uint64_t offset) const {
    const TiffPlaces& geometry = file_->geometry();
    Place place{offset / geometry.plane_bytes, 0, 0, 0, 0};
    const uint64_t in_plane = offset % geometry.plane_bytes;
    while (in_plane >= geometry.levels[place.level].end) ++place.level;
    const TiffPlaces::Level& level = geometry.levels[place.level];
    place.bytes = file_->plan().is_big ? level.piece_bytes : level.end - level.begin;
    place.number = (in_plane - level.begin) / place.bytes;
    place.within = (in_plane - level.begin) % place.bytes;
    return place;
  }

  SegmentPtr pixels_at(const Place& place) const {
    const Shape box = box_of(place.level);
    return padded_box(values(place.level), file_->plan().type.form, origin_of(place, box), box);
  }

  Shape box_of(size_t level) const {
    const TiffLevel& tiles = file_->plan().levels[level];
    const TiffPlaces::Level& whole = file_->geometry().levels[level];
    Shape box(values(level)->shape().size(), 1);
    box[box.size() - 2] = file_->plan().is_big ? tiles.tile_height : whole.height;
    box[box.size() - 1] = file_->plan().is_big ? tiles.tile_width : whole.width;
    return box;
  }

  Shape origin_of(const Place& place, const Shape& box) const {
    Shape origin(box.size());
    uint64_t plane = place.plane;
    for (const size_t axis : file_->plan().plane_axes) {
      origin[axis] = plane % values(place.level)->shape()[axis];
      plane /= values(place.level)->shape()[axis];
    }
    const uint64_t across = file_->geometry().levels[place.level].across;
    origin[box.size() - 2] = place.number / across * box[box.size() - 2];
    origin[box.size() - 1] = place.number % across * box[box.size() - 1];
    return origin;
  }

  const TiffFilePtr file_;
};

}  // namespace

std::optional<PixelType> pixel_type(const DType& type) {
  const auto make = [&](std::initializer_list<const char*> names,
                        uint16_t format) -> std::optional<PixelType> {
    const size_t at = type.size == 1 ? 0 : type.size == 2 ? 1 : type.size == 4 ? 2 : names.size();
    if (at >= names.size()) return std::nullopt;
    return PixelType{names.begin()[at], format, little_stored(type)};
  };
  if (type.is_truth()) return PixelType{"uint8", 1, little_stored(type)};
  if (type.kind == Kind::unsigned_integer) return make({"uint8", "uint16", "uint32"}, 1);
  if (type.kind == Kind::integer) return make({"int8", "int16", "int32"}, 2);
  if (type.kind != Kind::real) return std::nullopt;
  if (type.size == 8) return PixelType{"double", 3, little_double()};
  return PixelType{"float", 3, little_float()};
}

ByteLayout tiff_layout(TiffPlan plan) {
  const auto generated = std::make_shared<const TiffFile>(std::move(plan));
  ByteLayout layout;
  layout.put(generated->head());
  layout.put(std::make_shared<TiffDirectories>(generated));
  layout.put_zeros(generated->geometry().pixels_begin - layout.size());
  layout.put(std::make_shared<TiffPixels>(generated));
  return layout;
}

}  // namespace plainfs
