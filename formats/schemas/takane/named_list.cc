#include "formats/schemas/takane/named_list.h"

#include <memory>
#include <mutex>

#include "formats/schemas/takane/directory_group.h"

namespace plainfs::takane {
namespace {

constexpr const char* kNames = "names.json";
constexpr uint64_t kMostNamesBytes = 64 << 20;

// Throws damaged where the file is no list of texts.
std::vector<std::string> read_names(const std::string& directory, Context& context) {
  const Bytes bytes = context.files.read_whole(directory + "/" + kNames, kMostNamesBytes);
  const Json document = parse_json(as_text(bytes));
  if (!document.list()) throw damaged("it is a list of names");
  std::vector<std::string> names;
  for (const Json& name : *document.list()) {
    if (!name.text()) throw damaged("names are texts: item {} is none", names.size());
    names.push_back(*name.text());
  }
  return names;
}

bool is_number(const std::string& name) {
  return !name.empty() && name.find_first_not_of("0123456789") == name.npos;
}

// The member of an object whose .csv is the whole of it; nullptr for types that have none.
const char* only_member(const std::string& type) {
  if (type == "dense_array") return "dense_array";
  return type == "data_frame" ? "data_frame" : nullptr;
}

class NameLinks {
 public:
  NameLinks(ObjectPlace place, Context& context) : place_(std::move(place)), context_(context) {}

  // Made once, so that what is wrong is told once.
  const std::vector<Member>& get() {
    std::call_once(made_, [this] { links_ = make(); });
    return links_;
  }

 private:
  std::vector<Member> make() const {
    std::vector<Member> links;
    try {
      const std::vector<std::string> names = read_names(place_.directory, context_);
      for (size_t i = 0; i < names.size(); ++i) add(names[i], std::to_string(i), links);
      warn_of_unnamed(names.size());
    } catch (const Error& error) {
      if (passes(error)) throw;
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
      return warn(fmt::format("'{}' is the name of {}, which is not there", name, number));
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
      if (passes(error)) throw;  // else the item says so itself
    }
  }

  void warn_of_unnamed(size_t names) const {
    size_t items = 0;
    for (const std::string& entry : directory_entries(place_.directory, context_)) items += is_number(entry);
    if (items > names) warn(fmt::format("{} names for {} objects", names, items));
  }

  const ObjectPlace place_;
  Context& context_;
  std::once_flag made_;
  std::vector<Member> links_;  // filled once, by made_
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

}  // namespace plainfs::takane
