#include "formats/schemas/matlab/char_text.h"

#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/text/utf8.h"

namespace plainfs::matlab {
namespace {

bool is_lead(uint64_t unit) {
  return unit >= 0xd800 && unit < 0xdc00;
}

// Returns the text of one row. units: of size bytes each.
std::string text_of(std::span<const uint64_t> units, uint32_t size) {
  std::string text;
  for (size_t i = 0; i < units.size(); ++i) {
    uint64_t code = units[i];
    if (size == 2 && is_lead(code) && i + 1 < units.size()) {
      const uint64_t trail = units[++i];
      if (trail < 0xdc00 || trail >= 0xe000) throw damaged("text that is not UTF-16");
      code = 0x10000 + ((code - 0xd800) << 10) + (trail - 0xdc00);
    }
    if (code > UINT32_MAX) throw damaged("the character {} does not exist", code);
    append_utf8(static_cast<uint32_t>(code), text);
  }
  return text;
}

class CharText : public DerivedArray {
 public:
  CharText(const ArrayPtr& codes, uint64_t rows)
      : DerivedArray(codes, text_type(), rows == 1 ? Shape{} : Shape{rows}, false) {}
  Shape chunk_shape() const override { return shape(); }
  std::optional<Elements> repeated(const Box&) const override { return std::nullopt; }

 private:
  Box stored_box(const Box& box) const override {
    const Shape& stored = values().shape();
    Box whole_rows{Shape(stored.size(), 0), stored};
    if (stored.size() == 2 && !box.origin.empty()) {
      whole_rows.origin[1] = box.origin[0];
      whole_rows.extent[1] = box.extent[0];
    }
    return whole_rows;
  }
  Elements derived(Elements stored, const Box& box) const override {
    const uint64_t rows = box.extent.empty() ? 1 : box.extent[0];
    const uint64_t length = rows == 0 ? 0 : stored.count / rows;
    TextBuilder builder(rows);
    visit_number(values().dtype(), [&](auto number) {
      using T = decltype(number);
      if constexpr (std::is_integral_v<T>) {
        const auto codes = stored.values<T>();
        std::vector<uint64_t> units(length);
        for (uint64_t row = 0; row < rows; ++row) {
          for (uint64_t i = 0; i < length; ++i)
            units[i] = static_cast<std::make_unsigned_t<T>>(codes[i * rows + row]);
          builder.add(text_of(units, sizeof(T)));
        }
      }
    });
    return builder.finish();
  }
};

class CellText : public Array {
 public:
  CellText(ArrayPtr references, std::function<std::string(std::string_view)> text_at)
      : Array(text_type(), references->shape(), true),
        references_(std::move(references)),
        text_at_(std::move(text_at)) {}
  Elements read(const Box& box) const override {
    const Elements paths = references_->read(box);
    TextBuilder builder(paths.count);
    for (uint64_t i = 0; i < paths.count; ++i) builder.add(text_at_(paths.text(i)));
    return builder.finish();
  }
  Shape chunk_shape() const override { return references_->chunk_shape(); }
  bool may_be_missing() const override { return false; }
  Attributes attributes() const override { return references_->attributes(); }

 private:
  const ArrayPtr references_;
  const std::function<std::string(std::string_view)> text_at_;
};

}  // namespace

ArrayPtr text_of_codes(ArrayPtr codes) {
  if (codes->shape().empty() || codes->shape().size() > 2) return nullptr;
  return std::make_shared<CharText>(codes, codes->shape().size() == 2 ? codes->shape()[1] : 1);
}

ArrayPtr text_of_cells(ArrayPtr references, std::function<std::string(std::string_view path)> text_at) {
  return std::make_shared<CellText>(std::move(references), std::move(text_at));
}

}  // namespace plainfs::matlab
