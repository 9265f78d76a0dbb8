#include "formats/schemas/tenx/features.h"

#include <algorithm>

#include "formats/core/frames/parts.h"
#include "formats/core/model/element_text.h"

namespace plainfs::tenx {
namespace {

constexpr const char* kTagKeys = "_all_tag_keys";
constexpr uint64_t kMostTags = 4096;  // columns of one table; Cell Ranger writes up to a dozen

// Returns the names of the columns that the group lists. Throws if the list cannot be read.
std::vector<std::string> tags_of(const Group& features) {
  std::vector<std::string> tags;
  const ArrayPtr keys = frames::text_part_of(features, kTagKeys);
  if (!keys) return tags;
  keys->check();
  if (keys->count() > kMostTags) throw unsupported("{} has {} tags", kTagKeys, keys->count());
  const Elements texts = read_all(*keys);
  for (uint64_t i = 0; i < texts.count; ++i) append_plain(keys->dtype(), texts, i, tags.emplace_back());
  return tags;
}

class TableMaker {
 public:
  TableMaker(const Group& features, Context& context) : features_(features), context_(context) {}

  Table make(const std::vector<std::string>& tags) {
    for (const char* name : {"id", "name", "feature_type"}) add_stated(name, false);
    for (const std::string& tag : tags) add_stated(tag, true);
    if (!table_.columns.empty()) table_.rows = table_.columns.front().values->count();
    for (const Member& member : features_.members()) add_other(member);
    return std::move(table_);
  }

 private:
  bool has(const std::string& name) const {
    return std::any_of(table_.columns.begin(), table_.columns.end(),
                       [&](const Column& column) { return column.name == name; });
  }

  void add_stated(const std::string& name, bool is_tag) {
    if (has(name)) return;
    const ArrayPtr stored = frames::part_of(features_, name);
    if (stored && frames::may_be_list(*stored))
      table_.columns.push_back({name, stored});
    else if (stored || is_tag)
      context_.notice(fmt::format("{}: {} is left out of the table: {}", features_.path(), name,
                                  stored ? "it does not have one value for each feature" : "it has no data"));
  }

  void add_other(const Member& member) {
    if (member.name == kTagKeys || has(member.name)) return;
    if (const Error* error = std::get_if<Error>(&member.node.content)) {
      if (!member.node.parts)
        table_.columns.push_back({member.name, std::make_shared<BrokenArray>(text_type(), *error)});
      return;
    }
    const auto* array = std::get_if<LabelledArray>(&member.node.content);
    if (array && frames::may_be_list(*array->values) && array->values->count() == table_.rows)
      table_.columns.push_back({member.name, array->values});
  }

  const Group& features_;
  Context& context_;
  Table table_;
};

}  // namespace

Node with_feature_table(Node stored, Context& context) {
  try {
    stored.content = TableMaker(*stored.parts, context).make(tags_of(*stored.parts));
  } catch (const Error& error) {
    stored.content = error.at(stored.parts->path());
  }
  return stored;
}

}  // namespace plainfs::tenx
