#include "formats/schemas/takane/columns.h"

#include <algorithm>

#include "formats/containers/hdf5/container.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/schemas/takane/typed_values.h"

namespace plainfs::takane {
namespace {

// Throws if the dataset cannot be opened: then it has no attributes either. takane has no column of an
// unreadable type, so that an unsupported one is damaged.
void check_opens(const Array& values) {
  if (!dynamic_cast<const BrokenArray*>(&values)) return;
  try {
    values.check();
  } catch (const Error& error) {
    if (!is_unsupported(error)) throw;
    throw damaged("the type is not one of takane's: {}", error.what());
  }
}

class ColumnReader {
 public:
  ColumnReader(const ColumnPlace& place, Context& context)
      : place_(place), owner_{"column", place.path}, context_(context) {}

  ArrayPtr dataset(const ArrayPtr& values) const {
    check_opens(*values);
    const std::optional<std::string> type = text_attribute(hdf5::attribute(*values, "type"), "type");
    if (!type) throw damaged("the attribute \"type\" is missing");
    require_length(*values, "the column");
    const std::string format =
        *type == "string" ? string_format(hdf5::attribute(*values, "format"), owner_, context_) : "none";
    return typed_values(values, *type, hdf5::attribute(*values, kPlaceholder), format, owner_, context_);
  }

  ArrayPtr group(const Group& parts) const {
    const std::optional<std::string> type = text_attribute(hdf5::attribute(parts, "type"), "type");
    if (!type) throw damaged("the attribute \"type\" is missing");
    if (*type != "factor" && *type != "vls")
      throw damaged("the type of a group is '{}', expected factor or vls", *type);
    if (*type == "vls" && !place_.vls_allowed)
      context_.warn(place_.path + ": vls columns require version 1.1");
    ArrayPtr values = *type == "factor" ? factor_values(parts, owner_, context_) : vls_values(parts);
    require_length(*values, *type == "factor" ? "the factor" : "the vls column");
    return values;
  }

 private:
  void require_length(const Array& values, const char* what) const {
    if (values.shape().size() != 1)
      throw damaged("{} has {} dimensions, expected 1", what, values.shape().size());
    if (place_.rows && values.count() != *place_.rows)
      throw damaged("{0} has {2} values, expected {1}", what, *place_.rows, values.count());
  }

  const ColumnPlace place_;
  const Owner owner_;
  Context& context_;
};

}  // namespace

BasicColumn open_basic_column(const Node& stored, const ColumnPlace& place, Context& context) {
  BasicColumn column;
  Node shown;
  const bool is_group = stored.parts != nullptr;
  try {
    const ColumnReader reader(place, context);
    if (is_group) {
      column.values = reader.group(*stored.parts);
    } else {
      const ArrayPtr values = array_of(stored);
      if (!values) throw damaged("neither a dataset nor a group");
      column.values = reader.dataset(values);
    }
    shown.content = LabelledArray{column.values, nullptr, nullptr};
  } catch (const Error& error) {
    column.error = error;
    shown.content = *column.error;
  }
  const bool is_vls = column.values && is_group && !find_array(*stored.parts, "codes");
  shown.attributes = [stored] { return attributes_of(stored); };
  // A factor's parts are beside its labels. A vls column keeps its attributes with its strings, and its parts
  // are listed separately.
  if (is_group && !is_vls) shown.parts = stored.parts;
  column.members.push_back({place.name, std::move(shown)});
  if (is_vls) column.members.push_back({place.name, Node{.parts = stored.parts}});
  return column;
}

namespace {

constexpr uint64_t kMaxTextBytes = uint64_t{1}
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
    if (total > kMaxTextBytes)
      throw damaged("the {} strings of a vls column take {} bytes, which is too many", extents.size(), total);
    // The strings are mostly contiguous: then one read of the heap returns them all.
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
        throw damaged("a vls pointer lies outside the heap of {} bytes: offset {}, length {}", heap_bytes,
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
        throw damaged("vls pointers are signed, expected unsigned integers");
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
