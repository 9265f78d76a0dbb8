#include "formats/takane/text_columns.h"

#include <algorithm>

#include "formats/base/checked.h"

namespace plainfs::takane {
namespace {

constexpr uint64_t kMostTextBytes = uint64_t{1}
                                    << 30;  // of one read: overlapping pointers could ask for any amount

DType with_padding(DType type, Padding padding) {
  type.padding = padding;
  return type;
}

class NulTerminatedText : public Array {
 public:
  explicit NulTerminatedText(ArrayPtr values)
      : Array(with_padding(values->dtype(), Padding::null_terminated), values->shape(),
              values->column_major()),
        values_(std::move(values)) {}
  Shape chunk_shape() const override { return values_->chunk_shape(); }
  Elements read(const Box& box) const override { return values_->read(box); }
  void check() const override { values_->check(); }
  Attributes attributes() const override { return values_->attributes(); }

 private:
  ArrayPtr values_;
};

struct Extent {
  uint64_t offset;
  uint64_t length;
};

class VlsText : public Array {
 public:
  VlsText(ArrayPtr pointers, ArrayPtr heap)
      : Array(text_type(), pointers->shape()), pointers_(std::move(pointers)), heap_(std::move(heap)) {}
  Shape chunk_shape() const override { return pointers_->chunk_shape(); }
  void check() const override {
    pointers_->check();
    heap_->check();
  }
  Attributes attributes() const override { return pointers_->attributes(); }

  Elements read(const Box& box) const override {
    const std::vector<Extent> extents = read_extents(box);
    uint64_t first = heap_->count(), last = 0, total = 0;
    for (const Extent& extent : extents) {
      if (extent.length == 0) continue;
      first = std::min(first, extent.offset);
      last = std::max(last, extent.offset + extent.length);
      total = checked_add(total, extent.length);
    }
    if (total > kMostTextBytes)
      throw damaged("{} strings of a vls column take {} bytes", extents.size(), total);
    // Mostly the strings lie one after another: one read of the heap serves them all.
    const bool together = first < last && last - first <= 2 * total + 65536;
    const Elements run = together ? heap_->read(range(first, last - first)) : Elements{};
    TextBuilder builder(extents.size());
    for (const Extent& extent : extents) {
      if (extent.length == 0) {
        builder.add({});
      } else if (together) {
        builder.add(cut_at_nul(as_text(run.bytes).substr(extent.offset - first, extent.length)));
      } else {
        builder.add(cut_at_nul(as_text(heap_->read(range(extent.offset, extent.length)).bytes)));
      }
    }
    return builder.finish();
  }

 private:
  static std::string_view cut_at_nul(std::string_view text) { return text.substr(0, text.find('\0')); }

  std::vector<Extent> read_extents(const Box& box) const {
    const Elements stored = pointers_->read(box);
    std::vector<Extent> extents(stored.count);
    const uint64_t heap_bytes = heap_->count();
    copy_member(pointers_->dtype().fields[0].type, stored.children[0], extents, &Extent::offset);
    copy_member(pointers_->dtype().fields[1].type, stored.children[1], extents, &Extent::length);
    for (const Extent& extent : extents)
      if (extent.offset > heap_bytes || extent.length > heap_bytes - extent.offset)
        throw damaged("vls pointers stay inside the heap of {} bytes: offset {}, length {}", heap_bytes,
                      extent.offset, extent.length);
    return extents;
  }

  static void copy_member(const DType& type, const Elements& member, std::vector<Extent>& extents,
                          uint64_t Extent::*into) {
    visit_number(type, [&](auto example) {
      using T = decltype(example);
      if constexpr (std::is_unsigned_v<T>) {
        const std::span<const T> values = member.values<T>();
        for (size_t i = 0; i < extents.size(); ++i) extents[i].*into = values[i];
      } else {
        throw damaged("vls pointers are unsigned");
      }
    });
  }

  ArrayPtr pointers_;
  ArrayPtr heap_;
};

}  // namespace

ArrayPtr nul_terminated(ArrayPtr values) {
  if (values->dtype().kind != Kind::fixed_text) return values;
  return std::make_shared<NulTerminatedText>(std::move(values));
}

ArrayPtr vls_text(ArrayPtr pointers, ArrayPtr heap) {
  return std::make_shared<VlsText>(std::move(pointers), std::move(heap));
}

}  // namespace plainfs::takane
