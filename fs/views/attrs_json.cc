#include "fs/views/attrs_json.h"

#include "formats/core/model/elements/shown_attributes.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/printable.h"
#include "formats/core/text/utf8.h"
#include "fs/text/text_file.h"

namespace plainfs {

namespace {

bool has_directory(const Node& node) {
  return node.parts || std::holds_alternative<SparseMatrix>(node.content) ||
         std::holds_alternative<Fragments>(node.content) ||
         std::holds_alternative<GenomicRanges>(node.content) ||
         std::holds_alternative<SequenceLengths>(node.content);
}

using ReadAttributes = std::function<Attributes()>;

// Returns a name as JSON can hold it.
std::string key_of(const std::string& name) {
  return is_utf8(name) ? name : printable(name);
}

// Calls visit(name, read) for the directory itself, as ".", and for every member with attributes shown in it,
// until visit returns false. read() reads the attributes.
template <class Visit>
void visit_attributes(const Node& directory, Visit&& visit) {
  // Not attributes_of(): if the directory is also shown as an array, that would return the array's.
  const ReadAttributes own =
      directory.attributes ? directory.attributes : [&] { return directory.parts->attributes(); };
  if (!visit(std::string("."), own)) return;
  for (const Member& member : directory.parts->members()) {
    if (has_directory(member.node)) continue;
    if (const Error* error = std::get_if<Error>(&member.node.content);
        error && !member.node.attributes && is_transient(*error))
      throw *error;  // it may have attributes
    if (!visit(member.name, ReadAttributes([&] { return attributes_of(member.node); }))) return;
  }
}

bool has_attributes(const Node& directory) {
  bool any = false;
  visit_attributes(directory, [&](const std::string&, const ReadAttributes& read) {
    any = !attributes_or_error(read).empty();
    return !any;
  });
  return any;
}

// Logs a notice for each attribute that is an error in attrs_json().
void note_faults(const Node& directory, const Context& context) {
  const std::string place = directory.parts->path();
  visit_attributes(directory, [&](const std::string& name, const ReadAttributes& read) {
    const std::string of = name == "." ? place : joined_path(place, name);
    for (const Error& fault : faults_of_attributes(read)) context.notice(fault.at(of).what());
    return true;
  });
}

// The source of .attrs.json; the whole text is its head.
class AttrsJson : public TextSource {
 public:
  // listing_error: the reason if it is unknown whether there are any attributes.
  AttrsJson(Node directory, std::optional<Error> listing_error, const Context& context)
      : directory_(std::move(directory)), listing_error_(std::move(listing_error)), context_(context) {}
  void prepare() override { note_faults(directory_, context_); }
  std::string head() const override {
    if (listing_error_ && !has_attributes(directory_)) throw *listing_error_;
    return attrs_json(directory_);
  }
  uint64_t block_count() const override { return 0; }
  uint64_t measure(uint64_t) const override { return 0; }
  void format(uint64_t, ByteSink&) const override {}

 private:
  const Node directory_;
  const std::optional<Error> listing_error_;
  const Context& context_;
};

}  // namespace

std::string attrs_json(const Node& directory) {
  Json::Object all;
  visit_attributes(directory, [&](const std::string& name, const ReadAttributes& read) {
    Json::Object object;
    for (const Attribute& attribute : attributes_or_error(read))
      object.emplace_back(key_of(attribute.name), shown_value(attribute));
    if (!object.empty()) all.emplace_back(key_of(name), std::move(object));
    return true;
  });
  return to_json_text(all) + "\n";
}

void offer_attributes(const FileRow& row, const Node& directory, Context& context, Files& files) {
  if (!directory.parts) return;
  std::optional<Error> error;
  try {
    if (!has_attributes(directory)) return;
  } catch (const Error& why) {
    error = why;  // reading the file reports it
  }
  row.add(
      [directory, error, &context] {
        return std::make_unique<TextFile>(std::make_unique<AttrsJson>(directory, error, context), context);
      },
      files);
}

}  // namespace plainfs
