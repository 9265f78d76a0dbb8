#include "formats/core/frames/written.h"

#include "formats/core/model/derived_array.h"
#include "formats/core/model/element_text.h"

namespace plainfs::frames {

ArrayPtr as_written(ArrayPtr values) {
  const DType dtype = values->dtype();
  if (!dtype.fixed_size()) return values;
  return mapped(std::move(values), text_type(), [dtype](const Elements& elements, const Box&) {
    TextBuilder texts(elements.count);
    std::string text;
    for (uint64_t i = 0; i < elements.count; ++i) {
      text.clear();
      append_plain(dtype, elements, i, text);
      if (elements.is_missing(i))
        texts.add_missing();
      else
        texts.add(text);
    }
    return texts.finish();
  });
}

}  // namespace plainfs::frames
