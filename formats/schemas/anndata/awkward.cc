#include "formats/schemas/anndata/awkward.h"

#include <algorithm>

#include "formats/schemas/anndata/awkward_values.h"

namespace plainfs::anndata {
namespace {

DType json_type() {
  DType type;
  type.kind = Kind::json;
  return type;
}

class AwkwardArray : public Array {
 public:
  AwkwardArray(GroupPtr buffers, Form form, uint64_t length)
      : Array(json_type(), {length}), values_(std::move(buffers)), form_(std::move(form)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    TextBuilder texts(box.extent[0]);
    for (const std::string& text : values_.read(form_, box.origin[0], box.extent[0])) texts.add(text);
    return texts.finish();
  }
  // Each element is read separately; reading its neighbours too does not make it cheaper.
  Shape chunk_shape() const override {
    constexpr uint64_t kAtOnce = 1024;
    return {std::min(kAtOnce, std::max<uint64_t>(shape()[0], 1))};
  }

 private:
  const AwkwardValues values_;
  const Form form_;
};

}  // namespace

ArrayPtr awkward_array(GroupPtr group, const Attributes& attributes) {
  const std::optional<std::string> form = text_of(attributes, "form");
  const Json* length = find_attribute(attributes, "length");
  try {
    if (!form) throw damaged("{}: the form of an awkward array is missing", group->path());
    const std::optional<uint64_t> count = length ? length->as_uint64() : std::nullopt;
    if (!count) throw damaged("{}: the length of an awkward array is missing or not a count", group->path());
    return std::make_shared<AwkwardArray>(group, parse_form(*form), *count);
  } catch (const Error& error) {
    return std::make_shared<BrokenArray>(json_type(), error);
  }
}

}  // namespace plainfs::anndata
