#include "formats/core/codecs/cast_numbers.h"

#include "formats/core/model/number_cast.h"

namespace plainfs {
namespace {

class CastNumbers : public NumberStage {
  using NumberStage::NumberStage;

  void convert(const std::byte* in, std::byte* out, uint64_t count) const override {
    visit_number(encoded_, [&](auto from) {
      visit_number(decoded_, [&](auto to) { cast<decltype(from), decltype(to)>(in, out, count); });
    });
  }

  template <class From, class To>
  void cast(const std::byte* in, std::byte* out, uint64_t count) const {
    const bool truth = decoded_.kind == Kind::boolean;
    for (uint64_t i = 0; i < count; ++i) {
      const From value = load_stored<From>(in + i * sizeof(From), encoded_.big_endian);
      const To result =
          truth ? number_cast<To>(uint8_t{number_cast<double>(value) != 0}) : number_cast<To>(value);
      store(result, decoded_.big_endian, out + i * sizeof(To));
    }
  }
};

}  // namespace

CodecPtr cast_numbers_codec(std::string_view name, DType decoded, DType encoded) {
  return std::make_unique<CastNumbers>(name, std::move(decoded), std::move(encoded));
}

}  // namespace plainfs
