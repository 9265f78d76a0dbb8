#include "formats/core/codecs/makers.h"
#include "formats/core/codecs/number_stage.h"
#include "formats/core/model/number_cast.h"

namespace plainfs {
namespace {

// stored / scale + offset, computed as numpy 1 does with Python's scalars: integers as float64, reals in
// their own type with scale and offset rounded to it, every step rounded.
class FixedScaleOffset : public NumberStage {
 public:
  FixedScaleOffset(double scale, double offset, DType decoded, DType encoded)
      : NumberStage("fixedscaleoffset", std::move(decoded), std::move(encoded)),
        scale_(scale),
        offset_(offset) {}

 private:
  template <class From>
  auto restored(From value) const {
    if constexpr (std::is_same_v<From, Half>) {
      const auto rounded = [](double number) { return to_float(to_half_from_double(number)); };
      const Half ratio = to_half(to_float(value) / rounded(scale_));
      return to_half(to_float(ratio) + rounded(offset_));
    } else if constexpr (std::is_same_v<From, float>) {
      const float ratio = value / static_cast<float>(scale_);
      return ratio + static_cast<float>(offset_);
    } else {
      const double ratio = static_cast<double>(value) / scale_;
      return ratio + offset_;
    }
  }

  void convert(const std::byte* in, std::byte* out, uint64_t count) const override {
    visit_number(encoded_, [&](auto from) {
      visit_number(decoded_, [&](auto to) { restore<decltype(from), decltype(to)>(in, out, count); });
    });
  }

  template <class From, class To>
  void restore(const std::byte* in, std::byte* out, uint64_t count) const {
    for (uint64_t i = 0; i < count; ++i) {
      const From value = load_stored<From>(in + i * sizeof(From), encoded_.big_endian);
      store(number_cast<To>(restored(value)), decoded_.big_endian, out + i * sizeof(To));
    }
  }

  double scale_;
  double offset_;
};

}  // namespace

CodecPtr fixed_scale_offset_codec(double scale, double offset, DType decoded, DType encoded) {
  return std::make_unique<FixedScaleOffset>(scale, offset, std::move(decoded), std::move(encoded));
}

}  // namespace plainfs
