#include "formats/core/frames/categorical.h"

#include <utility>

#include "formats/core/frames/element.h"
#include "formats/core/model/derived_array.h"

namespace plainfs::frames {

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
  const Json* ordered = find_attribute(attributes, "ordered");
  if (!ordered) return false;
  if (const bool* truth = ordered->boolean()) return *truth;
  if (const auto number = ordered->as_int64()) return *number != 0;
  context.notice(fmt::format("{}: ordered is {}: no order", place, to_json_text(*ordered)));
  return false;
} catch (const Error& error) {
  context.notice(fmt::format("{}: no order: {}", place, error.what()));
  return false;
}

ArrayPtr categorical(ArrayPtr codes, ArrayPtr categories, const std::string& place, Context& context,
                     bool is_ordered) {
  return factor(codes_from(std::move(codes), 0), std::move(categories), 0, place, context, is_ordered);
}

ArrayPtr categorical_group(const Group& group, Context& context) try {
  ArrayPtr codes = find_array(group, "codes");
  if (!codes) throw damaged("{}: a categorical without codes", group.path());
  codes->check();
  if (!are_codes(*codes))
    throw damaged("{}: the codes of a categorical are {} of rank {}", group.path(), codes->dtype().name(),
                  codes->shape().size());
  const std::string path[] = {"categories"};
  const std::optional<Node> node = find_path(group, path);
  if (!node) throw damaged("{}: a categorical without categories", group.path());
  ArrayPtr categories = plain_values_of(*node);
  if (!categories || categories->shape().size() != 1)
    throw damaged("{}: the categories of a categorical are no list", group.path());
  return categorical(std::move(codes), std::move(categories), group.path(), context,
                     are_ordered(group.attributes(), group.path(), context));
} catch (const Error& error) {
  return std::make_shared<BrokenArray>(text_type(), error);
}

}  // namespace plainfs::frames
