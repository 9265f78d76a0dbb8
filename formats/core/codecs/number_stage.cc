#include "formats/core/codecs/number_stage.h"

#include "formats/core/base/checked.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"
#include "formats/core/model/elements/number_cast.h"

namespace plainfs {

NumberStage::NumberStage(std::string_view name, DType decoded, DType encoded)
    : name_(name), decoded_(std::move(decoded)), encoded_(std::move(encoded)) {
  for (const DType* type : {&decoded_, &encoded_}) visit_number(*type, [](auto) {});
}

Bytes NumberStage::decode(Bytes encoded, DecodedSize size) const {
  if (encoded.size() % encoded_.size != 0)
    throw damaged("{}: {} bytes are not a whole number of {}", name_, encoded.size(), encoded_.name());
  const uint64_t count = encoded.size() / encoded_.size;
  const uint64_t decoded_bytes = checked_multiply(count, decoded_.size);
  check_decoded_size(name_, decoded_bytes, size);
  Bytes out(decoded_bytes);
  convert(encoded.data(), out.data(), count);
  return out;
}

std::optional<uint64_t> NumberStage::encoded_size(uint64_t decoded_bytes) const {
  if (decoded_bytes % decoded_.size != 0)
    throw damaged("{}: {} bytes are not a whole number of {}", name_, decoded_bytes, decoded_.name());
  return checked_multiply(decoded_bytes / decoded_.size, encoded_.size);
}

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

CodecPtr astype_codec(DType decoded, DType encoded) {
  return cast_numbers_codec("astype", std::move(decoded), std::move(encoded));
}

// The lost digits cannot be restored, so only the cast is undone.
CodecPtr quantize_codec(DType decoded, DType encoded) {
  return cast_numbers_codec("quantize", std::move(decoded), std::move(encoded));
}

namespace {

// Bit rounding zeroes mantissa bits in place and needs no decoding.
class Bitround : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    check_decoded_size("bitround", encoded.size(), size);
    return encoded;
  }
  std::optional<uint64_t> encoded_size(uint64_t decoded_bytes) const override { return decoded_bytes; }
  CodecRole role() const override { return CodecRole::array_to_array; }
};

}  // namespace

CodecPtr bitround_codec() {
  return std::make_unique<Bitround>();
}

namespace {

// Returns the sum. Integers wrap, like numpy's cumsum.
template <class T>
T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
  else if constexpr (std::is_same_v<T, Half>)
    return to_half(to_float(a) + to_float(b));
  else
    return a + b;
}

// The first number, then differences, summed in the decoded type and in storage order.
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

namespace {

// stored / scale + offset, computed as in numpy 1 with Python's scalars: integers as float64, reals in their
// own type with scale and offset rounded to it, rounding at every step.
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
