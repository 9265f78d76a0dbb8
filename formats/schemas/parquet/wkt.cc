#include "formats/schemas/parquet/wkt.h"

#include <array>
#include <bit>
#include <cmath>
#include <iterator>

#include "formats/core/base/cursor.h"
#include "formats/core/text/number_text.h"

namespace plainfs::parquet {
namespace {

constexpr const char* kNames[] = {nullptr,      "POINT",           "LINESTRING",   "POLYGON",
                                  "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION"};
constexpr uint32_t kPoint = 1, kLine = 2, kPolygon = 3, kCollection = 7;
constexpr uint32_t kPartOfMany = 3;  // MULTIPOINT has points, and so on
constexpr int kMaxGeometryDepth = 32;

class Writer {
 public:
  Writer(std::string_view wkb, std::string& out) : in_(as_byte_span(wkb)), out_(out) {}

  void write() {
    geometry(0, 0);
    if (!in_.at_end()) throw damaged("{} bytes after a geometry", in_.remaining());
  }

 private:
  // The header of a geometry.
  struct Head {
    bool is_big = false;
    bool has_z = false, has_m = false;
    uint32_t kind = 0;
    size_t dimensions() const { return size_t{2} + has_z + has_m; }
  };

  uint32_t number(bool is_big) { return is_big ? in_.big<uint32_t>() : in_.little<uint32_t>(); }

  // Returns a count of things that take at least `bytes` each.
  uint32_t count(bool is_big, uint64_t bytes) {
    const uint32_t count = number(is_big);
    if (count > in_.remaining() / bytes)
      throw damaged("a geometry has {} parts in {} bytes", count, in_.remaining());
    return count;
  }

  Head head() {
    constexpr uint32_t kZ = 0x80000000, kM = 0x40000000, kSrid = 0x20000000, kIso = 1000, kMaxIso = 3;
    Head head;
    head.is_big = in_.byte() != 1;
    uint32_t type = number(head.is_big);
    head.has_z = (type & kZ) != 0;
    head.has_m = (type & kM) != 0;
    if ((type & kSrid) != 0) number(head.is_big);
    type &= ~(kZ | kM | kSrid);
    const uint32_t iso = type / kIso;
    if (iso > kMaxIso) throw damaged("a geometry of the type {}", type);
    head.has_z = head.has_z || (iso & 1) != 0;
    head.has_m = head.has_m || (iso & 2) != 0;
    head.kind = type % kIso;
    if (head.kind == 0 || head.kind >= std::size(kNames))
      throw unsupported("a geometry of the type {}", head.kind);
    return head;
  }

  // Writes a geometry. expected: its kind, the name of which is not written; 0: any.
  void geometry(int depth, uint32_t expected) {
    if (depth > kMaxGeometryDepth) throw damaged("a geometry is nested more than {} deep", kMaxGeometryDepth);
    const Head head = this->head();
    if (expected != 0 && head.kind != expected)
      throw damaged("a {} in a {}", kNames[head.kind], kNames[expected + kPartOfMany]);
    if (expected == 0) {
      out_ += kNames[head.kind];
      out_ += head.has_z && head.has_m ? " ZM " : head.has_z ? " Z " : head.has_m ? " M " : " ";
    }
    if (head.kind == kPoint) return point(head);
    if (head.kind == kLine) return line(head);
    constexpr uint64_t kLeastRing = 4, kLeastPart = 5;
    if (head.kind == kPolygon) return list(count(head.is_big, kLeastRing), [&] { line(head); });
    const uint32_t part = head.kind == kCollection ? 0 : head.kind - kPartOfMany;
    list(count(head.is_big, kLeastPart), [&] { geometry(depth + 1, part); });
  }

  template <class Write>
  void list(uint32_t count, Write&& write) {
    if (count == 0) {
      out_ += "EMPTY";
      return;
    }
    out_ += '(';
    for (uint32_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ", ";
      write();
    }
    out_ += ')';
  }

  double coordinate(bool is_big) {
    return std::bit_cast<double>(is_big ? in_.big<uint64_t>() : in_.little<uint64_t>());
  }

  void coordinates(const std::array<double, 4>& values, size_t dimensions) {
    for (size_t i = 0; i < dimensions; ++i) {
      if (i > 0) out_ += ' ';
      append_number(values[i], out_);
    }
  }

  std::array<double, 4> read_coordinates(const Head& head) {
    std::array<double, 4> values{};
    for (size_t i = 0; i < head.dimensions(); ++i) values[i] = coordinate(head.is_big);
    return values;
  }

  void point(const Head& head) {
    const std::array<double, 4> values = read_coordinates(head);
    bool is_empty = true;
    for (size_t i = 0; i < head.dimensions(); ++i) is_empty = is_empty && std::isnan(values[i]);
    list(is_empty ? 0 : 1, [&] { coordinates(values, head.dimensions()); });
  }

  void line(const Head& head) {
    list(count(head.is_big, sizeof(double) * head.dimensions()),
         [&] { coordinates(read_coordinates(head), head.dimensions()); });
  }

  Cursor in_;
  std::string& out_;
};

}  // namespace

void append_wkt(std::string_view wkb, std::string& out) {
  Writer(wkb, out).write();
}

}  // namespace plainfs::parquet
