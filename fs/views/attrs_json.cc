#include "fs/views/offers.h"

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

Json object_of(const std::string& key, const Attributes& attributes) {
  Json::Object object;
  for (const Attribute& attribute : attributes) {
    if (attribute.error) throw attribute.error->at(key);
    try {
      check_utf8(std::string_view(attribute.name));
      check_utf8(attribute.value);
    } catch (const Error& error) {
      throw error.at(fmt::format("attribute {} of {}", attribute.name, key));
    }
    object.emplace_back(attribute.name, attribute.value);
  }
  return object;
}

// Calls visit(key, attributes) for everything that has attributes, until it returns false.
template <class Visit>
void visit_attributes(const Node& directory, Visit&& visit) {
  // Not attributes_of(): where the directory is shown as an array too, that would be the array's.
  const Attributes own = directory.attributes ? directory.attributes() : directory.parts->attributes();
  if (!own.empty() && !visit(".", own)) return;
  for (const Member& member : directory.parts->members()) {
    if (has_directory(member.node)) continue;
    if (const Error* error = std::get_if<Error>(&member.node.content);
        error && !member.node.attributes && is_transient(*error))
      throw *error;  // it may have some
    if (const Attributes attributes = attributes_of(member.node);
        !attributes.empty() && !visit(member.name, attributes))
      return;
  }
}

bool has_attributes(const Node& directory) {
  bool any = false;
  visit_attributes(directory, [&](const std::string&, const Attributes&) {
    any = true;
    return false;
  });
  return any;
}

// The whole text is the head.
class AttrsJson : public TextSource {
 public:
  // listing_error: why it is not known whether there are any attributes.
  AttrsJson(Node directory, std::optional<Error> listing_error)
      : directory_(std::move(directory)), listing_error_(std::move(listing_error)) {}
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
};

}  // namespace

std::string attrs_json(const Node& directory) {
  Json::Object all;
  visit_attributes(directory, [&](const std::string& key, const Attributes& attributes) {
    check_utf8(std::string_view(key));
    all.emplace_back(key, object_of(key, attributes));
    return true;
  });
  return to_json_text(all) + "\n";
}

void offer_attrs_json(const Node& directory, Context& context, std::vector<OfferedFile>& files) {
  if (!directory.parts) return;
  std::optional<Error> error;
  try {
    if (!has_attributes(directory)) return;
  } catch (const Error& why) {
    error = why;  // reading the file gives it
  }
  files.push_back({true, ".attrs.json", [directory, error, &context] {
                     return std::make_unique<TextFile>(std::make_unique<AttrsJson>(directory, error),
                                                       context);
                   }});
}

}  // namespace plainfs
