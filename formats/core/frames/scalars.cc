#include "formats/core/frames/scalars.h"

#include "formats/core/model/elements/number_cast.h"

namespace plainfs::frames {
namespace {

class JoinedScalars : public Array {
 public:
  explicit JoinedScalars(std::vector<ArrayPtr> scalars)
      : Array(number_type(Kind::real, 8), {scalars.size()}), scalars_(std::move(scalars)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    Elements joined = zero_elements(dtype(), box.extent[0]);
    for (uint64_t i = 0; i < box.extent[0]; ++i) {
      const Array& scalar = *scalars_[box.origin[0] + i];
      const Elements one = read_all(scalar);
      if (one.is_missing(0)) {
        joined.missing.resize(box.extent[0]);
        joined.missing[i] = 1;
      }
      std::vector<double> value;
      append_doubles(scalar.dtype(), one, value);
      joined.mutable_values<double>()[i] = value.at(0);
    }
    return joined;
  }
  void check() const override {
    for (const ArrayPtr& scalar : scalars_) scalar->check();
  }

 private:
  const std::vector<ArrayPtr> scalars_;
};

}  // namespace

std::optional<Table> table_of_scalars(const std::vector<Member>& members) {
  std::vector<std::string> names;
  std::vector<ArrayPtr> scalars;
  for (const auto& [name, node] : members) {
    const auto* array = std::get_if<LabelledArray>(&node.content);
    if (!array || array->values->is_null() || array->values->count() != 1 ||
        !array->values->dtype().is_integer_or_real())
      return std::nullopt;
    names.push_back(name);
    scalars.push_back(array->values);
  }
  if (names.empty()) return std::nullopt;
  const uint64_t rows = names.size();
  return Table{rows, text_array(names), {{"value", std::make_shared<JoinedScalars>(std::move(scalars))}}};
}

}  // namespace plainfs::frames
