#include "formats/schemas/takane/text_columns.h"

#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/model/derived_array.h"

namespace plainfs::takane {
namespace {

constexpr uint64_t kMostTextBytes = uint64_t{1}
                                    << 30;  // of one read: overlapping pointers could ask for any amount

struct Extent {
  uint64_t offset;
  uint64_t length;
};

class VlsText : public DerivedArray {
 public:
  VlsText(ArrayPtr pointers, ArrayPtr heap)
      : DerivedArray(std::move(pointers), text_type()), heap_(std::move(heap)) {}
  void check() const override {
    DerivedArray::check();
    heap_->check();
  }

 private:
  Elements derived(Elements pointers, const Box&) const override {
    const std::vector<Extent> extents = extents_of(pointers);
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

  static std::string_view cut_at_nul(std::string_view text) { return text.substr(0, text.find('\0')); }

  std::vector<Extent> extents_of(const Elements& stored) const {
    const DType& type = values().dtype();
    std::vector<Extent> extents(stored.count);
    const uint64_t heap_bytes = heap_->count();
    copy_member(type.fields[0].type, stored.children[0], extents, &Extent::offset);
    copy_member(type.fields[1].type, stored.children[1], extents, &Extent::length);
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

  const ArrayPtr heap_;
};

}  // namespace

ArrayPtr nul_terminated(ArrayPtr values) {
  DType type = values->dtype();
  if (type.kind != Kind::fixed_text) return values;
  type.padding = Padding::null_terminated;
  return std::make_shared<DerivedArray>(std::move(values), std::move(type));
}

ArrayPtr vls_text(ArrayPtr pointers, ArrayPtr heap) {
  return std::make_shared<VlsText>(std::move(pointers), std::move(heap));
}

}  // namespace plainfs::takane
