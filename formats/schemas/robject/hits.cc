#include "formats/core/frames/data_frame.h"
#include "formats/schemas/robject/meaning.h"

namespace plainfs::robject {
namespace {

// Returns the pairs themselves. A DualSubset keeps them in its slot hits.
const Value& pairs_of(const Value& value) {
  const ValuePtr inner = value.attribute("hits");
  return inner ? *inner : value;
}

Content table_of_hits(const Value& hits, const View& view) try {
  const Value& pairs = pairs_of(hits);
  const ValuePtr from = pairs.attribute("from"), to = pairs.attribute("to");
  const uint64_t count = from->length();
  std::vector<Column> columns{{"from", with_missing_marked(*from)}, {"to", with_missing_marked(*to)}};
  const ValuePtr about = pairs.attribute("elementMetadata");
  if (about && is_frame(*about))
    for (Column& column : columns_of(*about, count, view)) columns.push_back(std::move(column));
  return frames::table_of(count, nullptr, std::move(columns), view.place.path, view.scope->context);
} catch (const Error& error) {
  if (is_transient(error)) throw;
  return error;
}

}  // namespace

bool is_hits(const Value& value) {
  if (value.type != RType::s4) return false;
  const Value& pairs = pairs_of(value);
  const ValuePtr from = pairs.attribute("from"), to = pairs.attribute("to");
  return from && to && from->type == RType::integer && to->type == RType::integer &&
         pairs.attribute("nLnode") && pairs.attribute("nRnode");
}

Node hits_node(const ValuePtr& hits, const View& view) {
  Node node;
  node.content = table_of_hits(*hits, view);
  node.attributes = [hits] { return attributes_of(*hits); };
  node.parts = directory_at(
      view, [hits](const View& inside) { return slot_members(pairs_of(*hits), inside); },
      [hits] { return attributes_of(*hits); });
  return node;
}

}  // namespace plainfs::robject
