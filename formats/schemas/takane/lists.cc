#include "formats/schemas/takane/lists.h"

#include "formats/core/model/derived_array.h"
#include "formats/schemas/takane/checks.h"
#include "formats/schemas/takane/text_columns.h"

namespace plainfs::takane {

ArrayPtr require_list(const Group& group, const char* name) {
  const ArrayPtr list = find_array(group, name);
  if (!list) throw damaged("{} is there", name);
  if (list->shape().size() != 1 || list->is_null())
    throw damaged("{} has one dimension, not {}", name, list->shape().size());
  return list;
}

ArrayPtr require_integers(const Group& group, const char* name) {
  const ArrayPtr list = require_list(group, name);
  if (!list->dtype().is_integer()) throw damaged("{} are whole numbers, not {}", name, list->dtype().name());
  return list;
}

ArrayPtr require_texts(const Group& group, const char* name) {
  const ArrayPtr list = require_list(group, name);
  if (!list->dtype().is_text()) throw damaged("{} are strings, not {}", name, list->dtype().name());
  return checked(nul_terminated(list),
                 [list, what = std::string(name)] { require_no_null_strings(*list, what); });
}

void require_count(const Array& list, uint64_t count, const char* name) {
  if (list.count() != count) throw damaged("{} has {} elements, not {}", name, list.count(), count);
}

}  // namespace plainfs::takane
