#include "formats/core/model/arrays/derived_array.h"

#include <algorithm>
#include <numeric>

#include "cache/lazy.h"
#include "formats/core/model/elements/time_text.h"

namespace plainfs {

namespace {

class MappedArray : public DerivedArray {
 public:
  MappedArray(ArrayPtr values, DType dtype, Conversion convert)
      : DerivedArray(std::move(values), std::move(dtype)), convert_(std::move(convert)) {}

 private:
  Elements derived(Elements stored, const Box& box) const override {
    return convert_(std::move(stored), box);
  }

  const Conversion convert_;
};

class CheckedArray : public DerivedArray {
 public:
  CheckedArray(ArrayPtr values, std::function<void()> rule)
      : DerivedArray(values, values->dtype()), rule_(std::move(rule)) {}

  void check() const override {
    values().check();
    const std::optional<Error>& broken = broken_.get([this] { return found_broken(); });
    if (broken) throw *broken;
  }
  bool may_be_missing() const override { return values().may_be_missing(); }
  bool is_nullable() const override { return values().is_nullable(); }
  const Array& without_rule() const { return values(); }

 private:
  // Returns the error of the rule, nullopt if it holds. Throws an error that may be transient.
  std::optional<Error> found_broken() const {
    try {
      rule_();
      return std::nullopt;
    } catch (const Error& error) {
      if (error.code() != Errc::damaged && !is_unsupported(error)) throw;
      return error;
    }
  }

  const std::function<void()> rule_;
  Lazy<std::optional<Error>> broken_;
};

class PlainSlice final : public Slice {
 public:
  using Slice::Slice;
  bool may_be_missing() const override { return values().may_be_missing(); }
};

Shape kept_of(const Shape& shape, const std::vector<size_t>& kept) {
  Shape some;
  for (const size_t axis : kept) some.push_back(shape[axis]);
  return some;
}

}  // namespace

std::optional<Elements> DerivedArray::repeated(const Box& box) const {
  std::optional<Elements> one = values_->repeated(stored_box(box));
  if (one) one = derived(*std::move(one), box);
  return one;
}

Box DerivedArray::stored_box(const Box& box) const {
  check_inside(box, shape());
  return box;
}

Slice::Slice(ArrayPtr values, DType dtype, Box part, std::vector<size_t> kept)
    : DerivedArray(std::move(values), std::move(dtype), kept_of(part.extent, kept), false),
      part_(std::move(part)),
      kept_(std::move(kept)) {}

Shape Slice::chunk_shape() const {
  Shape chunk = kept_of(values().chunk_shape(), kept_);
  for (size_t i = 0; i < chunk.size(); ++i) chunk[i] = std::max<uint64_t>(1, std::min(chunk[i], shape()[i]));
  return chunk;
}

Box Slice::stored_box(const Box& box) const {
  check_inside(box, shape());
  Box stored = part_;
  for (size_t i = 0; i < kept_.size(); ++i) {
    stored.origin[kept_[i]] += box.origin[i];
    stored.extent[kept_[i]] = box.extent[i];
  }
  return stored;
}

ArrayPtr slice(ArrayPtr values, Box part, std::vector<size_t> kept) {
  return std::make_shared<PlainSlice>(std::move(values), std::move(part), std::move(kept));
}

ArrayPtr slice(ArrayPtr values, Box part) {
  std::vector<size_t> all(part.extent.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return slice(std::move(values), std::move(part), std::move(all));
}

Box at_index(const Shape& shape, size_t axis, uint64_t index) {
  Box box = whole(shape);
  box.origin[axis] = index;
  box.extent[axis] = 1;
  return box;
}

ArrayPtr mapped(ArrayPtr values, DType dtype, Conversion convert) {
  return std::make_shared<MappedArray>(std::move(values), std::move(dtype), std::move(convert));
}

ArrayPtr checked(ArrayPtr values, std::function<void()> rule) {
  return std::make_shared<CheckedArray>(std::move(values), std::move(rule));
}

const Array& without_rule(const Array& array) {
  const auto* checked = dynamic_cast<const CheckedArray*>(&array);
  return checked ? checked->without_rule() : array;
}

ArrayPtr with_missing(ArrayPtr values, MissingRule rule) {
  DType dtype = values->dtype();
  return mapped(std::move(values), std::move(dtype), [rule = std::move(rule)](Elements elements, const Box&) {
    std::vector<uint8_t> missing(elements.count);
    rule(elements, missing);
    for (uint64_t i = 0; i < elements.missing.size(); ++i) missing[i] |= elements.missing[i];
    const bool any = std::find(missing.begin(), missing.end(), 1) != missing.end();
    elements.missing = any ? std::move(missing) : std::vector<uint8_t>{};
    return elements;
  });
}

ArrayPtr with_missing_times(ArrayPtr values) {
  const Kind kind = values->dtype().kind;
  if (kind != Kind::time_point && kind != Kind::time_span) return values;
  return with_missing(std::move(values), [](const Elements& elements, std::vector<uint8_t>& missing) {
    const auto counts = elements.values<int64_t>();
    for (uint64_t i = 0; i < counts.size(); ++i) missing[i] = counts[i] == kNotATime;
  });
}

ArrayPtr as_logical(ArrayPtr values) {
  DType type = values->dtype();
  if (type.kind == Kind::logical) return values;
  if (type.is_integer_or_real())
    type.base = type.kind;
  else if (type.kind == Kind::boolean)
    type.base = Kind::unsigned_integer;
  else if (type.kind != Kind::enumeration)
    return std::make_shared<BrokenArray>(type, unsupported("logical values of type {}", type.name()));
  type.kind = Kind::logical;
  type.members.clear();
  return std::make_shared<DerivedArray>(std::move(values), std::move(type));
}

ArrayPtr as_column_major(ArrayPtr values) {
  class ColumnMajor final : public DerivedArray {
   public:
    explicit ColumnMajor(const ArrayPtr& of) : DerivedArray(of, of->dtype(), of->shape(), true) {}
    bool may_be_missing() const override { return values().may_be_missing(); }
  };
  return std::make_shared<ColumnMajor>(values);
}

}  // namespace plainfs
