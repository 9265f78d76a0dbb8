#include "formats/core/codecs/number_stage.h"

#include "formats/core/base/checked.h"
#include "formats/core/codecs/output.h"

namespace plainfs {

NumberStage::NumberStage(std::string_view name, DType decoded, DType encoded)
    : name_(name), decoded_(std::move(decoded)), encoded_(std::move(encoded)) {
  for (const DType* type : {&decoded_, &encoded_}) visit_number(*type, [](auto) {});
}

Bytes NumberStage::decode(Bytes encoded, DecodedSize size) const {
  if (encoded.size() % encoded_.size != 0)
    throw damaged("{}: {} bytes are no whole number of {}", name_, encoded.size(), encoded_.name());
  const uint64_t count = encoded.size() / encoded_.size;
  const uint64_t decoded_bytes = checked_multiply(count, decoded_.size);
  check_decoded_size(name_, decoded_bytes, size);
  Bytes out(decoded_bytes);
  convert(encoded.data(), out.data(), count);
  return out;
}

std::optional<uint64_t> NumberStage::encoded_size(uint64_t decoded_bytes) const {
  if (decoded_bytes % decoded_.size != 0)
    throw damaged("{}: {} bytes are no whole number of {}", name_, decoded_bytes, decoded_.name());
  return checked_multiply(decoded_bytes / decoded_.size, encoded_.size);
}

}  // namespace plainfs
