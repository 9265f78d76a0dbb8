// One text as often as it is wanted: what a store does not say of each row by itself.
#pragma once

#include <string>

#include "formats/core/model/array.h"

namespace plainfs {

class RepeatedText : public Array {
 public:
  RepeatedText(std::string text, uint64_t count) : Array(text_type(), {count}), text_(std::move(text)) {}
  Elements read(const Box& box) const override {
    TextBuilder one(1);
    one.add(text_);
    return repeated_element(dtype(), one.finish(), element_count(box.extent));
  }

 private:
  const std::string text_;
};

}  // namespace plainfs
