#include "formats/core/frames/nullable.h"

#include "formats/core/model/derived_array.h"

namespace plainfs::frames {
namespace {

bool is_mask(const DType& type) {
  return type.kind == Kind::boolean || type.kind == Kind::logical || type.kind == Kind::integer ||
         type.kind == Kind::unsigned_integer;
}

class NullableArray : public DerivedArray {
 public:
  NullableArray(ArrayPtr values, ArrayPtr mask)
      : DerivedArray(values, values->dtype()), mask_(std::move(mask)) {}

  void check() const override {
    DerivedArray::check();
    mask_->check();
    check_fit();
  }
  std::optional<Elements> repeated(const Box&) const override { return std::nullopt; }
  void passed(const Box& box) const override {
    DerivedArray::passed(box);
    mask_->passed(box);
  }

 private:
  void check_fit() const {
    if (mask_->shape() != shape()) throw damaged("{} values and a mask of {}", count(), mask_->count());
    if (!is_mask(mask_->dtype())) throw damaged("a mask of {}", mask_->dtype().name());
  }

  Elements derived(Elements elements, const Box& box) const override {
    check_fit();
    const Elements mask = mask_->read(box);
    std::vector<uint8_t> missing(elements.count);
    bool any = false;
    visit_number(mask_->dtype(), [&](auto number) {
      using T = decltype(number);
      if constexpr (std::is_integral_v<T>) {
        const auto marks = mask.values<T>();
        for (uint64_t i = 0; i < elements.count; ++i) {
          missing[i] = marks[i] != 0 || elements.is_missing(i);
          any |= missing[i] != 0;
        }
      }
    });
    elements.missing = any ? std::move(missing) : std::vector<uint8_t>();
    return elements;
  }

  const ArrayPtr mask_;
};

}  // namespace

ArrayPtr nullable(ArrayPtr values, ArrayPtr mask) {
  return std::make_shared<NullableArray>(std::move(values), std::move(mask));
}

ArrayPtr nullable_group(const Group& group) try {
  ArrayPtr values = find_array(group, "values");
  if (!values) throw damaged("{}: a nullable array without values", group.path());
  ArrayPtr mask = find_array(group, "mask");
  if (!mask) throw damaged("{}: a nullable array without a mask", group.path());
  return nullable(std::move(values), std::move(mask));
} catch (const Error& error) {
  return std::make_shared<BrokenArray>(text_type(), error);
}

}  // namespace plainfs::frames
