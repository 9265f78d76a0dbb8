#include "formats/core/base/key_store.h"

#include "formats/core/base/error.h"

namespace plainfs {

std::optional<Bytes> KeyStore::read_if_exists(const std::string& key, uint64_t most_bytes) const {
  const ValuePtr value = open(key);
  if (!value) return std::nullopt;
  if (value->size() > most_bytes)
    throw damaged("{}: has {} bytes, at most {} are expected", key, value->size(), most_bytes);
  return value->read_all();
}

}  // namespace plainfs
