#include "formats/schemas/takane/json_list.h"

#include <limits>

#include "formats/schemas/takane/checks.h"

namespace plainfs::takane {
namespace {

// Requires: Json's parser bounded the nesting.
class ListChecker {
 public:
  void object(const Json& value, const std::string& place) const {
    if (!value.object()) throw damaged("{} is an object", place);
    const std::string type = text(value, "type", place);
    if (type == "nothing") return;
    if (type == "external") return index(member(value, "index", place), place + ".index");
    if (type == "list") return list(value, place);
    if (type == "factor" || type == "ordered") return factor(value, place);
    if (type != "integer" && type != "boolean" && type != "number" && type != "string" && type != "date" &&
        type != "date-time")
      throw damaged("{}.type is a type of uzuki2, not '{}'", place, type);
    const Json* format = value.find("format");
    if (format && (type != "string" || !format->text()))
      throw damaged("{}.format is a string of a string vector", place);
    each(value, place, [&](const Json& item, const std::string& at) { scalar(item, type, format, at); });
  }

 private:
  static const Json& member(const Json& value, const char* name, const std::string& place) {
    const Json* found = value.find(name);
    if (!found) throw damaged("{} has a member {}", place, name);
    return *found;
  }
  static std::string text(const Json& value, const char* name, const std::string& place) {
    const Json& found = member(value, name, place);
    if (!found.text()) throw damaged("{}.{} is a string", place, name);
    return *found.text();
  }
  static void index(const Json& value, const std::string& place) {
    if (!value.as_uint64()) throw damaged("{} is a non-negative integer", place);
  }

  // A vector's values, or its only value, and its names.
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
    if (!found->list() || found->list()->size() != count) throw damaged("{}.names has a name a value", place);
    for (const Json& name : *found->list())
      if (!name.text()) throw damaged("{}.names are strings", place);
  }

  void list(const Json& value, const std::string& place) const {
    const Json& values = member(value, "values", place);
    if (!values.list()) throw damaged("{}.values is a list", place);
    for (size_t i = 0; i < values.list()->size(); ++i)
      object((*values.list())[i], fmt::format("{}.values[{}]", place, i));
    names(value, values.list()->size(), place);
  }

  static void factor(const Json& value, const std::string& place) {
    const Json& levels = member(value, "levels", place);
    if (!levels.list()) throw damaged("{}.levels is a list", place);
    for (const Json& level : *levels.list())
      if (!level.text()) throw damaged("{}.levels are strings", place);
    each(value, place, [&](const Json& item, const std::string& at) {
      if (item.is_null()) return;
      const std::optional<uint64_t> code = item.as_uint64();
      if (!code || *code >= levels.list()->size())
        throw damaged("{} is an index into {} levels", at, levels.list()->size());
    });
  }

  static void scalar(const Json& item, const std::string& type, const Json* format,
                     const std::string& place) {
    if (item.is_null()) return;
    if (type == "integer") {
      const std::optional<int64_t> number = item.as_int64();
      if (!number || *number < std::numeric_limits<int32_t>::min() ||
          *number > std::numeric_limits<int32_t>::max())
        throw damaged("{} is a 32-bit integer", place);
    } else if (type == "number") {
      const std::string* special = item.text();
      const bool named = special && (*special == "NaN" || *special == "Inf" || *special == "-Inf");
      if (!item.number() && !named) throw damaged("{} is a number", place);
    } else if (type == "boolean") {
      if (!item.boolean()) throw damaged("{} is a boolean", place);
    } else {
      if (!item.text()) throw damaged("{} is a string", place);
      const std::string wanted = format ? *format->text() : type;
      if (wanted == "date" && !is_date(*item.text())) throw damaged("{} is a date", place);
      if (wanted == "date-time" && !is_date_time(*item.text())) throw damaged("{} is a date-time", place);
    }
  }
};

}  // namespace

uint64_t check_json_list(const Json& document) {
  ListChecker().object(document, "the list");
  const Json* values = document.find("values");
  if (*document.find("type")->text() != "list" || !values) throw damaged("the list is of type list");
  return values->list()->size();
}

}  // namespace plainfs::takane
