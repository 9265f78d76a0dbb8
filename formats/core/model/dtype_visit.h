// The body of visit_number. Include formats/core/model/dtype.h.
#pragma once

#include <utility>

#include "formats/core/base/error.h"
#include "formats/core/base/half.h"

namespace plainfs {

template <class Visit>
decltype(auto) visit_number(const DType& type, Visit&& visit) {
  Kind kind = type.kind;
  if (kind == Kind::logical || kind == Kind::enumeration) kind = type.base;
  if (kind == Kind::boolean) return std::forward<Visit>(visit)(uint8_t{});
  if (kind == Kind::time_point || kind == Kind::time_span) return std::forward<Visit>(visit)(int64_t{});
  if (kind == Kind::integer) {
    switch (type.size) {
      case 1:
        return std::forward<Visit>(visit)(int8_t{});
      case 2:
        return std::forward<Visit>(visit)(int16_t{});
      case 4:
        return std::forward<Visit>(visit)(int32_t{});
      case 8:
        return std::forward<Visit>(visit)(int64_t{});
    }
  } else if (kind == Kind::unsigned_integer) {
    switch (type.size) {
      case 1:
        return std::forward<Visit>(visit)(uint8_t{});
      case 2:
        return std::forward<Visit>(visit)(uint16_t{});
      case 4:
        return std::forward<Visit>(visit)(uint32_t{});
      case 8:
        return std::forward<Visit>(visit)(uint64_t{});
    }
  } else if (kind == Kind::real) {
    switch (type.size) {
      case 2:
        return std::forward<Visit>(visit)(Half{});
      case 4:
        return std::forward<Visit>(visit)(float{});
      case 8:
        return std::forward<Visit>(visit)(double{});
    }
  }
  throw unsupported("{} is no number", type.name());
}

}  // namespace plainfs
