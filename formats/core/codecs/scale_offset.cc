#include <cmath>

#include "formats/core/codecs/configuration.h"
#include "formats/core/codecs/makers.h"
#include "formats/core/codecs/number_stage.h"
#include "formats/core/model/elements/number_cast.h"

namespace plainfs {
namespace {

// zarr-extensions' scale_offset: (stored / scale) + offset in the array's own type. For integers, only a
// division without remainder has a result in that type.
class ScaleOffset : public NumberStage {
 public:
  ScaleOffset(const Json* scale, const Json* offset, const DType& type)
      : NumberStage("scale_offset", type, type) {
    const bool real = type.kind == Kind::real;
    scale_ = scale ? parse_v3_scalar(*scale, type) : Scalar{!real, 1, 1};
    offset_ = offset ? parse_v3_scalar(*offset, type) : Scalar{!real, 0, 0};
    if (scale_.is_integer && scale_.integer == 0) throw damaged("scale_offset: scale is 0");
  }

 private:
  void convert(const std::byte* in, std::byte* out, uint64_t count) const override {
    visit_number(encoded_, [&](auto kind) {
      using T = decltype(kind);
      for (uint64_t i = 0; i < count; ++i)
        store(restored(load_stored<T>(in + i * sizeof(T), false)), false, out + i * sizeof(T));
    });
  }

  template <class T>
  T restored(T value) const {
    if constexpr (std::is_integral_v<T>) {
      const auto wide = static_cast<Int128>(value);
      const Int128 result = wide / scale_.integer + offset_.integer;
      if (wide % scale_.integer != 0 || !fits(result, decoded_))
        throw damaged("scale_offset: the result of {} does not fit {}", value, decoded_.name());
      return static_cast<T>(result);
    } else if constexpr (std::is_same_v<T, Half>) {
      const auto rounded = [](double number) { return to_float(to_half_from_double(number)); };
      const Half ratio = to_half(to_float(value) / rounded(scale_.real));
      return to_half(to_float(ratio) + rounded(offset_.real));
    } else {
      const T ratio = value / static_cast<T>(scale_.real);
      return ratio + static_cast<T>(offset_.real);
    }
  }

  Scalar scale_;
  Scalar offset_;
};

}  // namespace

CodecPtr scale_offset_codec(const Json* scale, const Json* offset, DType type) {
  type.big_endian = false;
  return std::make_unique<ScaleOffset>(scale, offset, type);
}

}  // namespace plainfs
