// A container of values of different types, one of each.
#pragma once

#include <any>
#include <map>
#include <typeindex>
#include <utility>

namespace plainfs {

class ByType {
 public:
  // Returns the value of type T, which is the result of make() in the first call.
  template <class T, class Make>
  const T& once(Make&& make) {
    std::any& value = values_[typeid(T)];
    if (!value.has_value()) value = T(std::forward<Make>(make)());
    return *std::any_cast<T>(&value);
  }

 private:
  std::map<std::type_index, std::any> values_;
};

}  // namespace plainfs
