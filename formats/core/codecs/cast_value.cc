#include <cmath>

#include "formats/core/codecs/configuration.h"
#include "formats/core/codecs/makers.h"
#include "formats/core/codecs/number_stage.h"
#include "formats/core/model/elements/number_cast.h"

namespace plainfs {
namespace {

enum class Rounding { nearest_even, towards_zero, towards_positive, towards_negative, nearest_away };
enum class OutOfRange { error, clamp, wrap };

template <class E, size_t n>
E choice(const Json& configuration, std::string_view name,
         const std::pair<std::string_view, E> (&choices)[n]) {
  const Json* value = configuration.find(name);
  if (!value) return choices[0].second;
  for (const auto& [text, meaning] : choices)
    if (value->text() && *value->text() == text) return meaning;
  throw damaged("cast_value: invalid {}: {}", name, to_json_text(*value));
}

double rounded(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::towards_zero:
      return std::trunc(value);
    case Rounding::towards_positive:
      return std::ceil(value);
    case Rounding::towards_negative:
      return std::floor(value);
    case Rounding::nearest_away:
      return std::round(value);
    case Rounding::nearest_even:
      break;
  }
  return std::nearbyint(value);  // the environment's rounding mode is the default: to nearest, ties to even
}

// zarr-extensions' cast_value: each value becomes the same value of another type, except for those in
// scalar_map.
class CastValue : public NumberStage {
 public:
  CastValue(const Json& configuration, const DType& decoded, const DType& encoded)
      : NumberStage("cast_value", decoded, encoded),
        rounding_(choice<Rounding>(configuration, "rounding",
                                   {{"nearest-even", Rounding::nearest_even},
                                    {"towards-zero", Rounding::towards_zero},
                                    {"towards-positive", Rounding::towards_positive},
                                    {"towards-negative", Rounding::towards_negative},
                                    {"nearest-away", Rounding::nearest_away}})),
        out_of_range_(choice<OutOfRange>(
            configuration, "out_of_range",
            {{"error", OutOfRange::error}, {"clamp", OutOfRange::clamp}, {"wrap", OutOfRange::wrap}})) {
    const Json* map = configuration.find("scalar_map");
    if (const Json* pairs = map ? map->find("decode") : nullptr) read_map(*pairs);
  }

 private:
  // pairs: a list of [stored value, value].
  void read_map(const Json& pairs) {
    if (!pairs.list()) throw damaged("cast_value: invalid scalar_map: {}", to_json_text(pairs));
    for (const Json& pair : *pairs.list()) {
      if (!pair.list() || pair.list()->size() != 2)
        throw damaged("cast_value: scalar_map has the invalid item {}", to_json_text(pair));
      map_.emplace_back(parse_v3_scalar((*pair.list())[0], encoded_),
                        parse_v3_scalar((*pair.list())[1], decoded_));
    }
  }

  void convert(const std::byte* in, std::byte* out, uint64_t count) const override {
    for (uint64_t i = 0; i < count; ++i)
      store_scalar(restored(load_scalar(in + i * encoded_.size, encoded_)), decoded_,
                   out + i * decoded_.size);
  }

  static bool same(const Scalar& a, const Scalar& b) {
    if (a.is_integer) return a.integer == b.integer;
    return a.real == b.real || (std::isnan(a.real) && std::isnan(b.real));
  }

  Scalar restored(const Scalar& stored) const {
    for (const auto& [from, to] : map_)
      if (same(from, stored)) return to;
    if (decoded_.kind == Kind::real) return as_real(stored);
    return as_integer(stored);
  }

  Scalar as_real(const Scalar& stored) const {
    if (stored.is_integer || !std::isfinite(stored.real)) return stored;
    std::byte bytes[8];
    store_scalar(stored, decoded_, bytes);
    if (std::isinf(load_scalar(bytes, decoded_).real)) beyond(stored.real);
    return stored;
  }

  Scalar as_integer(const Scalar& stored) const {
    if (stored.is_integer) return {true, in_range(stored.integer), 0};
    if (std::isnan(stored.real)) beyond(stored.real);
    const double whole = rounded(stored.real, rounding_);
    // Beyond 2^100 no type can hold the value, and its low 48 bits, to which it could wrap, are zero.
    constexpr double kMax = 1267650600228229401496703205376.0;
    if (std::abs(whole) >= kMax) {
      if (out_of_range_ != OutOfRange::clamp) beyond(whole);
      return {true, whole < 0 ? lowest() : highest(), 0};
    }
    return {true, in_range(static_cast<Int128>(whole)), 0};
  }

  Int128 in_range(Int128 value) const {
    if (fits(value, decoded_)) return value;
    if (out_of_range_ == OutOfRange::clamp) return value < lowest() ? lowest() : highest();
    if (out_of_range_ == OutOfRange::error) beyond(static_cast<double>(value));
    const Int128 values = highest() - lowest() + 1;
    const Int128 rest = (value - lowest()) % values;
    return lowest() + (rest < 0 ? rest + values : rest);
  }

  Int128 lowest() const {
    return decoded_.kind == Kind::integer ? -(Int128{1} << (decoded_.size * 8 - 1)) : Int128{0};
  }
  Int128 highest() const {
    if (decoded_.kind == Kind::boolean) return 1;
    return (Int128{1} << (decoded_.size * 8 - (decoded_.kind == Kind::integer ? 1 : 0))) - 1;
  }
  [[noreturn]] void beyond(double value) const {
    throw damaged("cast_value: {} is out of range for {}", value, decoded_.name());
  }

  Rounding rounding_;
  OutOfRange out_of_range_;
  std::vector<std::pair<Scalar, Scalar>> map_;
};

}  // namespace

CodecPtr cast_value_codec(const Json& configuration, DType decoded) {
  decoded.big_endian = false;
  const Json* type = configuration.find("data_type");
  if (!type) throw damaged("cast_value: data_type is missing");
  return std::make_unique<CastValue>(configuration, decoded, parse_v3_number_type(*type));
}

}  // namespace plainfs
