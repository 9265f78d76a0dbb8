#include "formats/schemas/takane/lists.h"

#include <limits>
#include <memory>

#include "cache/lazy.h"
#include "formats/core/codecs/inflate.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/schemas/takane/checks.h"
#include "formats/schemas/takane/columns.h"
#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

ArrayPtr require_list(const Group& group, const char* name) {
  const ArrayPtr list = find_array(group, name);
  if (!list) throw damaged("{} is missing", name);
  if (list->shape().size() != 1 || list->is_null())
    throw damaged("{} has {} dimensions, expected 1", name, list->shape().size());
  return list;
}

ArrayPtr require_integers(const Group& group, const char* name) {
  const ArrayPtr list = require_list(group, name);
  if (!list->dtype().is_integer()) throw damaged("{} is {}, expected integers", name, list->dtype().name());
  return list;
}

ArrayPtr require_texts(const Group& group, const char* name) {
  const ArrayPtr list = require_list(group, name);
  if (!list->dtype().is_text()) throw damaged("{} is {}, expected strings", name, list->dtype().name());
  return checked(nul_terminated(list),
                 [list, what = std::string(name)] { require_no_null_strings(*list, what); });
}

void require_count(const Array& list, uint64_t count, const char* name) {
  if (list.count() != count) throw damaged("{} has {} elements, expected {}", name, list.count(), count);
}

namespace {

constexpr const char* kNames = "names.json";
constexpr uint64_t kMaxNamesBytes = 64 << 20;

// Returns the names in the file. Throws damaged if it is not a list of texts.
std::vector<std::string> read_names(const std::string& directory, Context& context) {
  const Bytes bytes = context.files.read_whole(directory + "/" + kNames, kMaxNamesBytes);
  const Json document = parse_json(as_text(bytes));
  if (!document.list()) throw damaged("not a list of names");
  std::vector<std::string> names;
  for (const Json& name : *document.list()) {
    if (!name.text()) throw damaged("item {} is not a text", names.size());
    names.push_back(*name.text());
  }
  return names;
}

bool is_number(const std::string& name) {
  return !name.empty() && name.find_first_not_of("0123456789") == name.npos;
}

// Returns the member of an object with a .csv that shows the whole object; nullptr for other types.
const char* only_member(const std::string& type) {
  if (type == "dense_array") return "dense_array";
  return type == "data_frame" ? "data_frame" : nullptr;
}

class NameLinks {
 public:
  NameLinks(ObjectPlace place, Context& context) : place_(std::move(place)), context_(context) {}

  // Creates the links once, so that each fault is logged once.
  const std::vector<Member>& get() const {
    return links_.get([this] { return make(); });
  }

 private:
  std::vector<Member> make() const {
    std::vector<Member> links;
    try {
      const std::vector<std::string> names = read_names(place_.directory, context_);
      for (size_t i = 0; i < names.size(); ++i) add(names[i], std::to_string(i), links);
      warn_of_unnamed(names.size());
    } catch (const Error& error) {
      if (is_transient(error)) throw;
      warn(error.what());
      links.clear();
    }
    return links;
  }

  void warn(const std::string& message) const {
    context_.warn(fmt::format("{}/{}: {}", place_.path, kNames, message));
  }

  void add(const std::string& name, const std::string& number, std::vector<Member>& links) const {
    const std::string item = place_.directory + "/" + number;
    if (context_.files.kind_of(item) == EntryKind::nothing)
      return warn(fmt::format("'{}' is the name of {}, which is missing", name, number));
    if (name.empty()) return warn(fmt::format("the name of {} is empty", number));
    const std::string path = place_.path + "/" + number;
    links.push_back({name, Node{.content = link_to(path)}});
    try {
      if (const char* member = only_member(read_object_file(item, context_).type)) {
        Link view = link_to(path + "/" + member);
        view.only = ".csv";
        links.push_back({name, Node{.content = std::move(view)}});
      }
    } catch (const Error& error) {
      if (is_transient(error)) throw;  // other errors are reported by the item
    }
  }

  void warn_of_unnamed(size_t names) const {
    size_t items = 0;
    for (const std::string& entry : directory_entries(place_.directory, context_)) items += is_number(entry);
    if (items > names) warn(fmt::format("{} names, expected {}, one for each object", names, items));
  }

  const ObjectPlace place_;
  Context& context_;
  Lazy<std::vector<Member>> links_;
};

}  // namespace

bool is_named_list(const ObjectPlace& place, Context& context) {
  return context.files.kind_of(place.directory + "/" + kNames) == EntryKind::file;
}

GroupPtr open_named_list(const ObjectPlace& place, const SideNames& sides, Context& context) {
  DirectoryGroup::Rules rules;
  rules.sides = [sides](const std::string&) { return sides; };
  rules.added = [links = std::make_shared<NameLinks>(place, context)](const GroupPtr&) {
    return links->get();
  };
  return std::make_shared<DirectoryGroup>(place, std::move(rules), context);
}

std::vector<std::string> names_of_list(const std::string& directory, Context& context) try {
  return read_names(directory, context);
} catch (const Error&) {
  return {};
}

namespace {

constexpr uint64_t kMaxCompressedBytes = 256 << 20;
constexpr uint64_t kMaxInflatedBytes = 1 << 30;

}  // namespace

Bytes read_json_gz(const std::string& path, Context& context) {
  const Bytes compressed = context.files.read_whole(path, kMaxCompressedBytes);
  // Deflate expands at most 1032-fold, so the size of the file bounds the text as well.
  const uint64_t most = std::min<uint64_t>(kMaxInflatedBytes, compressed.size() * uint64_t{1032});
  return inflate_gzip(compressed, DecodedSize::at_most(most));
}

Member json_gz_member(const std::string& path, const std::string& name, Context& context) {
  PlainFile file{path,
                 [path, &context] { return std::make_shared<MemoryValue>(read_json_gz(path, context)); }};
  return {name.substr(0, name.size() - std::string_view(".gz").size()), Node{.content = std::move(file)}};
}

namespace {

// A checker of list documents. Requires: Json's parser has bounded the nesting.
class ListChecker {
 public:
  void object(const Json& value, const std::string& place) const {
    if (!value.object()) throw damaged("{} is not an object", place);
    const std::string type = text(value, "type", place);
    if (type == "nothing") return;
    if (type == "external") return index(member(value, "index", place), place + ".index");
    if (type == "list") return list(value, place);
    if (type == "factor" || type == "ordered") return factor(value, place);
    if (type != "integer" && type != "boolean" && type != "number" && type != "string" && type != "date" &&
        type != "date-time")
      throw damaged("{}.type is '{}', which is not a type of uzuki2", place, type);
    const Json* format = value.find("format");
    if (format && (type != "string" || !format->text()))
      throw damaged("{}.format is not a string, or its vector is not of strings", place);
    each(value, place, [&](const Json& item, const std::string& at) { scalar(item, type, format, at); });
  }

 private:
  static const Json& member(const Json& value, const char* name, const std::string& place) {
    const Json* found = value.find(name);
    if (!found) throw damaged("{}.{} is missing", place, name);
    return *found;
  }
  static std::string text(const Json& value, const char* name, const std::string& place) {
    const Json& found = member(value, name, place);
    if (!found.text()) throw damaged("{}.{} is not a string", place, name);
    return *found.text();
  }
  static void index(const Json& value, const std::string& place) {
    if (!value.as_uint64()) throw damaged("{} is not a non-negative integer", place);
  }

  // Visits a vector's values, or its only value, and its names.
  template <class Visit>
  static void each(const Json& value, const std::string& place, Visit&& visit) {
    const Json& values = member(value, "values", place);
    const Json::List* items = values.list();
    if (!items) visit(values, place + ".values");
    for (size_t i = 0; items && i < items->size(); ++i)
      visit((*items)[i], fmt::format("{}.values[{}]", place, i));
    names(value, items ? items->size() : 1, place);
  }

  static void names(const Json& value, size_t count, const std::string& place) {
    const Json* found = value.find("names");
    if (!found) return;
    if (!found->list() || found->list()->size() != count)
      throw damaged("{}.names is not a list with one name for each value", place);
    for (const Json& name : *found->list())
      if (!name.text()) throw damaged("an item of {}.names is not a string", place);
  }

  void list(const Json& value, const std::string& place) const {
    const Json& values = member(value, "values", place);
    if (!values.list()) throw damaged("{}.values is not a list", place);
    for (size_t i = 0; i < values.list()->size(); ++i)
      object((*values.list())[i], fmt::format("{}.values[{}]", place, i));
    names(value, values.list()->size(), place);
  }

  static void factor(const Json& value, const std::string& place) {
    const Json& levels = member(value, "levels", place);
    if (!levels.list()) throw damaged("{}.levels is not a list", place);
    for (const Json& level : *levels.list())
      if (!level.text()) throw damaged("an item of {}.levels is not a string", place);
    each(value, place, [&](const Json& item, const std::string& at) {
      if (item.is_null()) return;
      const std::optional<uint64_t> code = item.as_uint64();
      if (!code || *code >= levels.list()->size())
        throw damaged("{} is not an index into {} levels", at, levels.list()->size());
    });
  }

  static void scalar(const Json& item, const std::string& type, const Json* format,
                     const std::string& place) {
    if (item.is_null()) return;
    if (type == "integer") {
      const std::optional<int64_t> number = item.as_int64();
      if (!number || *number < std::numeric_limits<int32_t>::min() ||
          *number > std::numeric_limits<int32_t>::max())
        throw damaged("{} is not a 32-bit integer", place);
    } else if (type == "number") {
      const std::string* special = item.text();
      const bool named = special && (*special == "NaN" || *special == "Inf" || *special == "-Inf");
      if (!item.number() && !named) throw damaged("{} is not a number", place);
    } else if (type == "boolean") {
      if (!item.boolean()) throw damaged("{} is not a boolean", place);
    } else {
      if (!item.text()) throw damaged("{} is not a string", place);
      const std::string wanted = format ? *format->text() : type;
      if (wanted == "date" && !is_date(*item.text())) throw damaged("{} is not a date", place);
      if (wanted == "date-time" && !is_date_time(*item.text())) throw damaged("{} is not a date-time", place);
    }
  }
};

}  // namespace

uint64_t check_json_list(const Json& document) {
  ListChecker().object(document, "the list");
  const Json* values = document.find("values");
  if (*document.find("type")->text() != "list" || !values)
    throw damaged("the list is not of type list, or has no values");
  return values->list()->size();
}

}  // namespace plainfs::takane
