#include "formats/schemas/vcf/variants.h"

#include <algorithm>
#include <utility>

#include "formats/core/frames/data_frame.h"
#include "formats/core/frames/parts.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/variant_values.h"
#include "formats/core/text/number_text.h"

namespace plainfs::vcf {
namespace {

struct TextOut {
  std::string& out;
  void put(char c) { out += c; }
  void put(std::string_view text) { out += text; }
  template <class T>
  void put_number(T value) {
    append_number(value, out);
  }
};

// Elements [first, first + count) of each row of an array of rank 2, as one text.
class RowTexts : public DerivedArray {
 public:
  // Appends the text of elements [at, at + count) to out, which is empty. Returns false if it is missing.
  using Join = std::function<bool(const Elements& elements, uint64_t at, std::string& out)>;

  RowTexts(ArrayPtr values, uint64_t first, uint64_t count, Join join)
      : DerivedArray(values, text_type(), {values->shape()[0]}, false),
        first_(first),
        count_(count),
        join_(std::move(join)) {}

  std::optional<Elements> repeated(const Box&) const override { return std::nullopt; }
  Shape chunk_shape() const override { return {values().chunk_shape()[0]}; }

 private:
  Box stored_box(const Box& box) const override {
    check_inside(box, shape());
    return {{box.origin[0], first_}, {box.extent[0], count_}};
  }
  Elements derived(Elements stored, const Box& box) const override {
    TextBuilder texts(box.extent[0]);
    std::string text;
    for (uint64_t row = 0; row < box.extent[0]; ++row) {
      text.clear();
      if (join_(stored, row * count_, text))
        texts.add(text);
      else
        texts.add_missing();
    }
    return texts.finish();
  }

  const uint64_t first_, count_;
  const Join join_;
};

// Returns the array if is_right, otherwise a BrokenArray with its actual type. what: the required type.
ArrayPtr held_to(bool is_right, const ArrayPtr& array, const char* name, const char* what) {
  if (is_right || frames::is_broken(*array)) return array;
  return std::make_shared<BrokenArray>(
      text_type(),
      damaged("{} is {} of rank {}, expected {}", name, array->dtype().name(), array->shape().size(), what));
}

// Returns values. Reading throws damaged for one that is not from 0 to below limit.
ArrayPtr whole_numbers(const ArrayPtr& array, const char* name, std::function<uint64_t()> limit) {
  const ArrayPtr numbers = held_to(frames::may_be_integers(*array), array, name, "a list of integers");
  if (frames::is_broken(*numbers)) return numbers;
  const DType type = numbers->dtype();
  return mapped(numbers, type, [type, name, limit = std::move(limit)](Elements stored, const Box& box) {
    const uint64_t end = limit();
    visit_number(type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>) {
        const auto values = stored.values<T>();
        for (uint64_t i = 0; i < values.size(); ++i)
          if (std::cmp_less(values[i], 0) || std::cmp_greater_equal(values[i], end))
            throw damaged("{} of variant {} is {}, expected from 0 to below {}", name, box.origin[0] + i,
                          values[i], end);
      }
    });
    return stored;
  });
}

// Returns array with missing values, and the fill of an empty list, marked as missing.
ArrayPtr with_missing_values(const ArrayPtr& array) {
  if (frames::is_broken(*array) || array->dtype().kind == Kind::boolean) return array;
  return with_missing(array,
                      [type = array->dtype()](const Elements& elements, std::vector<uint8_t>& missing) {
                        visit_variant_values(type, elements, [&](const auto& values) {
                          for (uint64_t i = 0; i < elements.count; ++i)
                            missing[i] = values.given(i) != Given::value;
                        });
                      });
}

// Returns the list of each row from its element `first` on; missing if it is empty or all of it is missing.
ArrayPtr lists(const ArrayPtr& array, uint64_t first) {
  const uint64_t width = array->shape()[1];
  if (width <= first)  // one column is still read
    return std::make_shared<RowTexts>(array, 0, std::min<uint64_t>(width, 1),
                                      [](const Elements&, uint64_t, std::string&) { return false; });
  const uint64_t count = width - first;
  return std::make_shared<RowTexts>(
      array, first, count,
      [type = array->dtype(), count](const Elements& elements, uint64_t at, std::string& out) {
        return visit_variant_values(type, elements, [&](const auto& values) {
          const VariantList list = list_at(values, at, count);
          TextOut sink{out};
          put_list(values, at, list.count, sink);
          return !list.is_missing;
        });
      });
}

ArrayPtr reference_of(const ArrayPtr& alleles) {
  if (alleles->shape()[1] == 0) return lists(alleles, 0);
  return std::make_shared<RowTexts>(alleles, 0, 1,
                                    [](const Elements& elements, uint64_t at, std::string& out) {
                                      const VariantTexts texts(elements);
                                      TextOut sink{out};
                                      if (texts.given(at) == Given::value) texts.put(at, sink);
                                      return texts.given(at) == Given::value;
                                    });
}

// Returns the names of the filters that are set, in their order.
ArrayPtr filters_of(const ArrayPtr& filter, const ArrayPtr& names) {
  const uint64_t count = filter->shape()[1];
  return std::make_shared<RowTexts>(
      filter, 0, count,
      [type = filter->dtype(), names, count](const Elements& elements, uint64_t at, std::string& out) {
        if (!names || names->count() != count)
          throw damaged("variant_filter has {} columns for {} filters", count, names ? names->count() : 0);
        const Elements filters = read_all(*names);
        visit_number(type, [&](auto zero) {
          using T = decltype(zero);
          if constexpr (std::is_integral_v<T>) {
            for (uint64_t i = 0; i < count; ++i)
              if (elements.values<T>()[at + i] != 0)
                out.append(out.empty() ? "" : ";").append(filters.text(i));
          }
        });
        return !out.empty();
      });
}

// Returns the same text for each variant; a null text is missing.
ArrayPtr all_alike(const Variants& variants, const char* text) {
  return mapped(variants.position, text_type(), [text](Elements stored, const Box&) {
    TextBuilder texts(stored.count);
    for (uint64_t i = 0; i < stored.count; ++i) text ? texts.add(text) : texts.add_missing();
    return texts.finish();
  });
}

ArrayPtr filter_column(const Variants& variants) {
  if (!variants.filter) return all_alike(variants, "PASS");
  const Array& filter = *variants.filter;
  const bool is_right = filter.shape().size() == 2 && filter.dtype().size > 0 &&
                        (filter.dtype().kind == Kind::boolean || filter.dtype().is_integer());
  const ArrayPtr held = held_to(is_right, variants.filter, "variant_filter", "truth values of rank 2");
  return frames::is_broken(*held) ? held : filters_of(held, variants.filter_names);
}

ArrayPtr chromosomes(const Variants& variants, const std::string& place, Context& context) {
  const ArrayPtr names = variants.contig_names;
  const auto count = [names] {
    names->check();
    return names->count();
  };
  return factor(whole_numbers(variants.contig, "variant_contig", count), names, 0, place, context);
}

bool is_real(const Array& array) {
  return array.shape().size() == 1 && array.dtype().is_integer_or_real();
}

}  // namespace

Table sites_of(const Variants& variants, const std::string& place, Context& context) {
  std::vector<Column> columns;
  columns.push_back({"CHROM", chromosomes(variants, place, context)});
  columns.push_back({"POS", whole_numbers(variants.position, "variant_position", [] { return UINT64_MAX; })});
  if (variants.ids) {
    const bool is_right = variants.ids->shape().size() == 1 && variants.ids->dtype().kind == Kind::text;
    columns.push_back(
        {"ID", with_missing_values(held_to(is_right, variants.ids, "variant_id", "a list of texts"))});
  } else {
    columns.push_back({"ID", all_alike(variants, nullptr)});
  }
  const bool has_alleles =
      variants.alleles->shape().size() == 2 && variants.alleles->dtype().kind == Kind::text;
  const ArrayPtr alleles = held_to(has_alleles, variants.alleles, "variant_allele", "texts of rank 2");
  columns.push_back({"REF", has_alleles ? reference_of(alleles) : alleles});
  columns.push_back({"ALT", has_alleles ? lists(alleles, 1) : alleles});
  if (variants.quality)
    columns.push_back({"QUAL", with_missing_values(held_to(is_real(*variants.quality), variants.quality,
                                                           "variant_quality", "a list of numbers"))});
  else
    columns.push_back({"QUAL", all_alike(variants, nullptr)});
  columns.push_back({"FILTER", filter_column(variants)});
  for (const VariantField& field : variants.info)
    columns.push_back({field.name, field.values->shape().size() == 2 ? lists(field.values, 0)
                                                                     : with_missing_values(field.values)});
  const uint64_t rows = variants.count();
  return frames::table_of(rows, nullptr, std::move(columns), place, context);
}

}  // namespace plainfs::vcf
