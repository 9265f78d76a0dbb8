#include "formats/core/frames/element.h"

#include <algorithm>
#include <utility>

#include "formats/core/frames/names.h"
#include "formats/core/model/arrays/derived_array.h"

namespace plainfs::frames {

bool Encoding::is(std::string_view a_type, std::initializer_list<std::string_view> versions) const {
  return type == a_type && std::find(versions.begin(), versions.end(), version) != versions.end();
}

std::optional<Encoding> encoding_of(const Attributes& attributes) {
  std::optional<std::string> type = attributes.text("encoding-type");
  if (!type) return std::nullopt;
  return Encoding{std::move(*type), attributes.text("encoding-version").value_or("")};
}

std::optional<MatrixShape> matrix_shape_in(const Attributes& attributes, std::string_view name) {
  const Json* value = attributes.find(name);
  if (!value) return std::nullopt;
  const Json::List* list = value->list();
  if (list && list->size() == 2) {
    const auto rows = (*list)[0].as_uint64(), columns = (*list)[1].as_uint64();
    if (rows && columns) return MatrixShape{*rows, *columns};
  }
  throw damaged("{} is not two counts: {}", name, to_json_text(*value));
}

namespace {

bool is_nullable(const Encoding& encoding) {
  return encoding.is("nullable-integer", {"0.1.0"}) || encoding.is("nullable-boolean", {"0.1.0"}) ||
         encoding.is("nullable-string-array", {"0.1.0"});
}

std::optional<Encoding> group_encoding(const Node& node) {
  if (!node.parts || !std::holds_alternative<std::monostate>(node.content)) return std::nullopt;
  return encoding_of(node.parts->attributes());
}

}  // namespace

ArrayPtr values_of(const Node& node, Context& context) {
  const std::optional<Encoding> encoding = group_encoding(node);
  if (encoding && encoding->is("categorical", {"0.2.0"})) return categorical_group(*node.parts, context);
  return plain_values_of(node);
}

ArrayPtr plain_values_of(const Node& node) {
  if (ArrayPtr array = array_of(node)) return array->is_null() ? nullptr : array;
  const std::optional<Encoding> encoding = group_encoding(node);
  return encoding && is_nullable(*encoding) ? nullable_group(*node.parts) : nullptr;
}

bool holds_text(const Node& node) {
  const std::optional<Encoding> encoding = group_encoding(node);
  if (encoding && encoding->is("categorical", {"0.2.0"})) {
    const std::string path[] = {"categories"};
    const std::optional<Node> categories = find_path(*node.parts, path);
    const ArrayPtr labels = categories ? plain_values_of(*categories) : nullptr;
    return labels && is_text(labels->dtype());
  }
  const ArrayPtr values = plain_values_of(node);
  return values && is_text(values->dtype());
}

namespace {

bool is_mask(const DType& type) {
  return type.is_integer() || type.is_truth();
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
  bool is_nullable() const override { return true; }
  void release(const Box& box) const override {
    DerivedArray::release(box);
    mask_->release(box);
  }

 private:
  void check_fit() const {
    if (mask_->shape() != shape()) throw damaged("{} values, but a mask of {}", count(), mask_->count());
    if (!is_mask(mask_->dtype())) throw damaged("the mask is {}", mask_->dtype().name());
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
  if (!values) throw damaged("{}: the values of a nullable array are missing", group.path());
  ArrayPtr mask = find_array(group, "mask");
  if (!mask) throw damaged("{}: the mask of a nullable array is missing", group.path());
  return nullable(std::move(values), std::move(mask));
} catch (const Error& error) {
  return std::make_shared<BrokenArray>(text_type(), error);
}

bool are_codes(const Array& array) {
  return (array.dtype().kind == Kind::integer || array.dtype().kind == Kind::unsigned_integer) &&
         array.shape().size() == 1;
}

ArrayPtr codes_from(ArrayPtr codes, int64_t base) {
  const DType dtype = codes->dtype();
  return with_missing(std::move(codes),
                      [dtype, base](const Elements& elements, std::vector<uint8_t>& missing) {
                        visit_number(dtype, [&](auto number) {
                          using T = decltype(number);
                          if constexpr (std::is_integral_v<T>) {
                            const auto values = elements.values<T>();
                            for (size_t i = 0; i < values.size(); ++i)
                              missing[i] |= std::cmp_equal(values[i], base - 1);
                          }
                        });
                      });
}

bool are_ordered(const Attributes& attributes, const std::string& place, Context& context) try {
  const Json* ordered = attributes.find("ordered");
  if (!ordered) return false;
  if (const bool* truth = ordered->boolean()) return *truth;
  if (const auto number = ordered->as_int64()) return *number != 0;
  context.notice(fmt::format("{}: invalid ordered: {}; shown without order", place, to_json_text(*ordered)));
  return false;
} catch (const Error& error) {
  context.notice(fmt::format("{}: shown without order: {}", place, error.what()));
  return false;
}

ArrayPtr categorical(ArrayPtr codes, ArrayPtr categories, const std::string& place, Context& context,
                     bool is_ordered) {
  return factor(codes_from(std::move(codes), 0), std::move(categories), 0, place, context, is_ordered);
}

ArrayPtr categorical_group(const Group& group, Context& context) try {
  ArrayPtr codes = find_array(group, "codes");
  if (!codes) throw damaged("{}: the codes of a categorical are missing", group.path());
  codes->check();
  if (!are_codes(*codes))
    throw damaged("{}: the codes of a categorical are {} of rank {}, expected integers of rank 1",
                  group.path(), codes->dtype().name(), codes->shape().size());
  const std::string path[] = {"categories"};
  const std::optional<Node> node = find_path(group, path);
  if (!node) throw damaged("{}: the categories of a categorical are missing", group.path());
  ArrayPtr categories = plain_values_of(*node);
  if (!categories || categories->shape().size() != 1)
    throw damaged("{}: the categories of a categorical are not a list", group.path());
  return categorical(std::move(codes), std::move(categories), group.path(), context,
                     are_ordered(group.attributes(), group.path(), context));
} catch (const Error& error) {
  return std::make_shared<BrokenArray>(text_type(), error);
}

}  // namespace plainfs::frames
