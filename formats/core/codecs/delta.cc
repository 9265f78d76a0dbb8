#include "formats/core/codecs/makers.h"
#include "formats/core/codecs/number_stage.h"
#include "formats/core/model/number_cast.h"

namespace plainfs {
namespace {

// Integers wrap, as numpy's cumsum.
template <class T>
T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
  else if constexpr (std::is_same_v<T, Half>)
    return to_half(to_float(a) + to_float(b));
  else
    return a + b;
}

// The first number, then differences: added up in the decoded type, in storage order.
class Delta : public NumberStage {
 public:
  Delta(DType decoded, DType encoded) : NumberStage("delta", std::move(decoded), std::move(encoded)) {
    if (decoded_.kind == Kind::boolean) throw unsupported("delta of {}", decoded_.name());
  }

 private:
  void convert(const std::byte* in, std::byte* out, uint64_t count) const override {
    visit_number(encoded_, [&](auto from) {
      visit_number(decoded_, [&](auto to) { accumulate<decltype(from), decltype(to)>(in, out, count); });
    });
  }

  template <class From, class To>
  void accumulate(const std::byte* in, std::byte* out, uint64_t count) const {
    To total{};
    for (uint64_t i = 0; i < count; ++i) {
      const To step = number_cast<To>(load_stored<From>(in + i * sizeof(From), encoded_.big_endian));
      total = i == 0 ? step : sum(total, step);  // 0 + -0 would lose the sign
      store(total, decoded_.big_endian, out + i * sizeof(To));
    }
  }
};

}  // namespace

CodecPtr delta_codec(DType decoded, DType encoded) {
  return std::make_unique<Delta>(std::move(decoded), std::move(encoded));
}

}  // namespace plainfs
