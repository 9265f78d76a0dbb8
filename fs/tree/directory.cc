#include "fs/tree/directory.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "formats/core/model/context.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/transient_fault.h"
#include "formats/core/text/path_names.h"
#include "formats/registry.h"
#include "fs/text/view_file.h"
#include "fs/tree/link_text.h"
#include "fs/tree/links.h"
#include "fs/views/names.h"

namespace plainfs {
namespace {

// The beginning of a view's suffix after a member's name; ~ occurs if it gives way to another member's name.
constexpr std::string_view kViewBegins = ".~";

// The root of a store that is a single array or table.
struct LoneMember : ListedGroup {
  explicit LoneMember(Member member) : ListedGroup(nullptr, "/", std::vector{std::move(member)}) {}
};

bool is_lone_member(const Node& node) {
  return dynamic_cast<const LoneMember*>(node.parts.get()) != nullptr;
}

std::vector<ViewEntry> offered_files(const Node& node, const ListingContext& listing) {
  std::vector<ViewEntry> files;  // of all views: one may add to a directory of another
  const bool is_damaged = std::holds_alternative<Error>(node.content);  // costs nothing to check
  const ChosenViews& views = listing.views;
  for (const View* view : views.all) {
    const size_t before = files.size();
    view->offer(node, listing.context, files);
    const bool is_listed = views.are_named || (views.lists_parts && view->option == kPartsView);
    for (ViewEntry& file : std::span(files).subspan(before)) {
      file.is_sized_by_reading = !view->is_sized_by_shape && !is_damaged && !is_listed;
      file.shows_again = view->shows_again && (views.are_named || !is_listed);
      if (is_listed) file.is_unlisted = file.is_never_listed;
    }
  }
  return files;
}

// Returns the files that views show beside the node's directory. The views get the node without its parts, so
// that nothing is listed for it. If it is unknown for now whether a group is more than a group, it is offered
// as unreadable: a table must not disappear because of a fault.
std::vector<ViewEntry> offered_for_member(const Node& node, const ListingContext& listing) {
  Node alone = node;
  alone.parts = nullptr;
  if (std::holds_alternative<std::monostate>(node.content)) {
    std::optional<Error> fault = transient_fault(node);
    if (!fault) return {};
    alone.content = *std::move(fault);
  }
  return offered_files(alone, listing);
}

// files: the offers of the chosen views for the node.
bool has_directory(const Node& node, const std::vector<ViewEntry>& files, const ListingContext& listing) {
  if (node.parts ||
      std::any_of(files.begin(), files.end(), [](const ViewEntry& file) { return !file.is_beside; })) {
    return true;
  }
  if (!files.empty() || std::holds_alternative<PlainFile>(node.content) ||
      std::holds_alternative<Link>(node.content))
    return false;
  // A directory if the node is damaged or no view would show it. If other views would, the user left it out.
  ListingContext with_all{listing.context, listing.stores, {}};
  for (const View& view : views()) with_all.views.all.push_back(&view);
  return offered_for_member(node, with_all).empty();
}

// Returns whether has_directory() is true only because of files that are found by name. The directory is then
// unlisted too.
bool holds_only_unlisted(const Node& node, const std::vector<ViewEntry>& files) {
  const auto is_listed = [](const ViewEntry& file) { return !file.is_beside && !file.is_unlisted; };
  return !node.parts && !files.empty() && std::none_of(files.begin(), files.end(), is_listed);
}

// An entry of a directory before names are assigned.
struct Candidate {
  std::string stored;  // the member's name
  NameRequest request;
  DirectoryEntry shown;
  const Link* link = nullptr;  // the link with the text still to be generated; or null
};

// Returns an entry that views generate in the directory of a node. fault: why the node cannot be read for
// now.
DirectoryEntry generated_by_views(ViewEntry offered, const std::optional<Error>& fault,
                                  const std::shared_ptr<const Node>& node) {
  if (!offered.identity.node) offered.identity.node = node;
  const bool is_directory = offered.is_directory();
  DirectoryEntry generated{std::move(offered), is_directory ? FileKind::directory : FileKind::file};
  if (!generated.fault) generated.fault = fault;
  generated.is_generated = is_directory;
  return generated;
}

class MemberLister {
 public:
  explicit MemberLister(const ListingContext& listing) : listing_(listing) {}

  void add_member(const Member& member, Links& links) {
    if (std::holds_alternative<Nothing>(member.node.content)) return;
    const std::string encoded = encode_name(member.name);
    if (const std::optional<Error> fault = transient_fault(member.node)) unopened_.emplace(encoded, *fault);
    const auto node = std::make_shared<const Node>(member.node);
    const auto add = [&](std::string extension, FileKind kind) -> Candidate& {
      DirectoryEntry shown{{}, kind};
      shown.shared_node = node;
      shown.member = encoded;
      return candidates_.emplace_back(
          Candidate{member.name, {encoded, std::move(extension)}, std::move(shown)});
    };
    if (const Link* link = std::get_if<Link>(&member.node.content)) {
      try {
        for (Extension& extension : link_extensions(*link, links)) {
          Candidate& candidate = add(std::move(extension.text), FileKind::link);
          candidate.link = link;
          candidate.shown.is_unlisted = extension.is_unlisted;
          candidate.shown.is_sized_by_reading = extension.is_sized_by_reading;
          candidate.shown.shows_again = extension.shows_again;
        }
      } catch (const Error& error) {
        if (is_transient(error)) unopened_.emplace(encoded, error);
        add(link->only, FileKind::link).shown.fault = error;
      }
      return;
    }
    if (!member.node.store.empty()) {
      add("", FileKind::store);
      return;
    }
    if (std::holds_alternative<PlainFile>(member.node.content)) {
      if (member.node.parts)
        add("", FileKind::directory);
      else
        add("", FileKind::file).shown.open = open_plain_file(member.node, listing_);
      return;
    }
    std::vector<ViewEntry> files = offered_for_member(member.node, listing_);
    if (has_directory(member.node, files, listing_))
      add("", FileKind::directory).shown.is_unlisted = holds_only_unlisted(member.node, files);
    for (ViewEntry& file : files) {
      if (!file.is_beside) continue;
      DirectoryEntry& shown = add(file.name, FileKind::file).shown;
      shown.open = std::move(file.open);
      shown.identity = {file.identity.row, file.identity.node ? file.identity.node : node};
      shown.is_unlisted = file.is_unlisted;
      shown.is_sized_by_reading = file.is_sized_by_reading;
      shown.shows_again = file.shows_again;
    }
  }

  // Adds the files that the node's own directory holds besides its members.
  void add_own_files(Node node, std::vector<Member> members, bool is_top) {
    if (is_top && is_lone_member(node)) {
      // The attributes at the mountpoint are those of the mounted member; in a mirrored folder they are shown
      // for the member.
      node.attributes = [lone = members.front().node] { return attributes_of(lone); };
      members.clear();
    }
    std::vector<std::string> names;
    for (Member& member : members) names.push_back(std::exchange(member.name, encode_name(member.name)));
    std::shared_ptr<const KnownMembers> known;
    if (node.parts) known = std::make_shared<KnownMembers>(node.parts, std::move(members), std::move(names));
    node.parts = known;
    const KnownMembers::FindingScope finding(known.get());
    const std::optional<Error> fault = transient_fault(node);
    const auto content = std::make_shared<const Node>(Node{.content = node.content, .role = node.role});
    for (ViewEntry& file : offered_files(node, listing_)) {
      if (file.is_beside) continue;
      const size_t dot =
          file.is_directory() ? file.name.size() : std::min(file.name.rfind('.'), file.name.size());
      NameRequest name{file.name.substr(0, dot), file.name.substr(dot)};
      candidates_.push_back({{}, std::move(name), generated_by_views(std::move(file), fault, content)});
    }
  }

  // Names the candidates and returns them.
  std::vector<Candidate> finish(bool is_top) {
    std::vector<NameRequest> requests;
    requests.reserve(candidates_.size());
    for (const Candidate& candidate : candidates_) requests.push_back(candidate.request);
    static constexpr std::string_view kReserved[] = {".plainfs"};
    const auto reserved = std::span(kReserved).first(is_top ? 1 : 0);
    const std::vector<std::string> names = assign_names(requests, reserved);
    for (size_t i = 0; i < names.size(); ++i) {
      Candidate& candidate = candidates_[i];
      candidate.shown.name = names[i];
      const auto fault = unopened_.find(names[i]);
      if (candidate.request.extension.empty() || fault == unopened_.end()) continue;
      if (candidate.shown.kind == FileKind::file)
        candidate.shown.open = [error = fault->second]() -> std::unique_ptr<ViewFile> { throw error; };
      else
        candidate.shown.fault = fault->second;
    }
    return std::move(candidates_);
  }

  Unopened unopened() && { return std::move(unopened_); }

 private:
  std::vector<Extension> link_extensions(const Link& link, Links& links) const {
    if (link.verbatim) return {{}};
    const std::optional<Node> target = links.target(link);
    std::vector<Extension> extensions;
    if (target) {
      // The target's views are unknown for now; it may have some.
      if (const std::optional<Error> fault = transient_fault(*target)) throw *fault;
      extensions = extensions_of(*target, listing_);
    }
    if (!link.only.empty()) {
      std::erase_if(extensions, [&](const Extension& extension) { return extension.text != link.only; });
      return extensions;
    }
    if (extensions.empty()) extensions.emplace_back();
    return extensions;
  }

  const ListingContext& listing_;
  std::vector<Candidate> candidates_;
  // Until these members can be opened it is unknown whether a name is theirs or that of a view of another
  // member, so until then it belongs to no entry.
  Unopened unopened_;
};

std::vector<Member> refined_members(const Node& node, Context& context) {
  std::vector<Member> members;
  if (node.parts) members = node.parts->members();
  for (Member& member : members) member.node = refine(std::move(member.node), context);
  return members;
}

MemberLister lister_of(const Node& node, const std::vector<Member>& members, Links& links, bool is_top,
                       const ListingContext& listing) {
  MemberLister lister(listing);
  for (const Member& member : members) lister.add_member(member, links);
  lister.add_own_files(node, members, is_top);
  return lister;
}

// The names of the targets of links in their own directories. They differ from the plain names only if a
// member has the name of a view there.
class TargetNames {
 public:
  TargetNames(const DirectoryPlace& place, Links& links, const ListingContext& listing)
      : place_(place), links_(links), listing_(listing) {}

  std::string of(const Link& link, const std::string& extension) {
    const std::string& stored = link.path.back();
    std::string plain = file_name(encode_name(stored), extension);
    if (extension.empty()) return plain;
    const std::optional<Node> folder = links_.target_folder(link);
    if (!folder || !folder->parts || !is_taken(*folder, stored + extension)) return plain;
    const auto& names = names_in(link, *folder);
    const auto own = names.find({stored, extension});
    return own == names.end() ? plain : own->second;
  }

 private:
  using Names = std::map<std::pair<std::string, std::string>, std::string>;  // (stored, extension) -> shown

  static bool is_taken(const Node& folder, const std::string& name) {
    try {
      return folder.parts->find(name).has_value();
    } catch (const Error& error) {
      if (is_transient(error)) throw;
      return true;
    }
  }

  const Names& names_in(const Link& link, const Node& folder) {
    const StorePtr store = links_.destination(link).store;
    const std::vector<std::string> path(link.path.begin(), link.path.end() - 1);
    const auto [entry, is_new] = known_.try_emplace({store.get(), path});
    if (!is_new) return entry->second;
    Context& context = store == place_.store ? listing_.context : listing_.context.of_store(store->path);
    Links own(store, listing_.stores, context);
    Links& links = store == place_.store ? links_ : own;
    try {
      const std::vector<Member> members = refined_members(folder, context);
      const ListingContext listing{context, listing_.stores, listing_.views};
      for (Candidate& candidate : lister_of(folder, members, links, false, listing).finish(false)) {
        entry->second[{candidate.stored, candidate.request.extension}] = std::move(candidate.shown.name);
      }
    } catch (const Error& error) {
      if (is_transient(error)) {
        known_.erase(entry);
        throw;
      }
      entry->second.clear();
      context.warn(fmt::format("{}: the target of a link: {}", folder.parts->path(), error.what()));
    }
    return entry->second;
  }

  const DirectoryPlace& place_;
  Links& links_;
  const ListingContext& listing_;
  std::map<std::pair<const Store*, std::vector<std::string>>, Names> known_;
};

std::string text_of(const Link& link, const std::string& extension, const DirectoryPlace& place, Links& links,
                    TargetNames& names) {
  if (link.verbatim) return link.text;
  const Destination to = links.destination(link);
  if (!to.in_reach) return source_and_path(link);
  std::vector<std::string> path;
  for (const std::string& name : link.path) path.push_back(file_name(encode_name(name)));
  if (!path.empty()) path.back() = names.of(link, extension);
  if (!to.outside.empty()) return relative_text(place.names, to.outside, path);
  const bool is_shown =
      path.size() >= place.above.size() && std::equal(place.above.begin(), place.above.end(), path.begin());
  if (!is_shown) return source_and_path({std::string(last_name(place.store->path)), link.path, {}});
  return relative_text(place.names, {}, std::span(path).subspan(place.above.size()));
}

// A file of the host, shown unchanged. The pool opens it for each read, so that any number of them may be
// open under the mountpoint.
class PlainFileView : public ViewFile {
 public:
  PlainFileView(std::string path, Context& context) : path_(std::move(path)), context_(context) {}
  uint64_t size() override;
  std::optional<uint64_t> known_size() override { return size(); }
  Slices read(uint64_t offset, size_t size) override;

 private:
  const std::string path_;
  Context& context_;
};

// A file with bytes that a store keeps: a member of a zip archive, or decompressed data.
class ValueFile : public ViewFile {
 public:
  explicit ValueFile(ValuePtr value) : value_(std::move(value)) {}
  uint64_t size() override { return value_->size(); }
  std::optional<uint64_t> known_size() override { return value_->size(); }
  Slices read(uint64_t offset, size_t size) override;

 private:
  const ValuePtr value_;
};

uint64_t PlainFileView::size() {
  return context_.files.open(path_)->size();
}

Slices PlainFileView::read(uint64_t offset, size_t size) {
  const FilePtr file = context_.files.open(path_);
  Slices slices;
  if (offset >= file->size()) return slices;
  const size_t wanted = std::min<uint64_t>(size, file->size() - offset);
  auto bytes = std::make_shared<const Bytes>(file->read_at(offset, wanted));
  slices.add(*bytes, bytes);
  return slices;
}

Slices ValueFile::read(uint64_t offset, size_t size) {
  Slices slices;
  if (offset >= value_->size()) return slices;
  const uint64_t wanted = std::min<uint64_t>(size, value_->size() - offset);
  auto bytes = std::make_shared<const Bytes>(value_->read(offset, wanted));
  slices.add(*bytes, bytes);
  return slices;
}

}  // namespace

const Error* Unopened::unknown(std::string_view name) const {
  const auto is_one = [&](const std::string& member) {
    if (name == file_name(member, {})) return true;
    for (size_t at = name.find_first_of(kViewBegins); at < name.size();
         at = name.find_first_of(kViewBegins, at + 1))
      if (name == file_name(member, name.substr(at))) return true;
    return false;
  };
  const auto found = std::find_if(begin(), end(), [&](const auto& each) { return is_one(each.first); });
  return found == end() ? nullptr : &found->second;
}

DirectoryContent show_directory(const DirectoryEntry& directory, const Node& node,
                                const DirectoryPlace& place, const ListingContext& listing) {
  if (directory.list) {
    DirectoryContent generated;
    for (ViewEntry& entry : directory.list())
      generated.shown.push_back(
          generated_by_views(std::move(entry), directory.fault, directory.identity.node));
    return generated;
  }
  if (const Error* error = std::get_if<Error>(&node.content); error && !node.parts) throw *error;
  Links links(place.store, listing.stores, listing.context);
  TargetNames names(place, links, listing);
  const std::vector<Member> members = refined_members(node, listing.context);
  MemberLister lister = lister_of(node, members, links, place.is_top, listing);
  std::vector<Candidate> candidates = lister.finish(place.is_top);
  std::vector<DirectoryEntry> shown;
  shown.reserve(candidates.size());
  for (Candidate& candidate : candidates) {
    if (candidate.link) {
      try {
        candidate.shown.target = text_of(*candidate.link, candidate.request.extension, place, links, names);
      } catch (const Error& error) {
        candidate.shown.fault = error;
      }
    }
    shown.push_back(std::move(candidate.shown));
  }
  return {std::move(shown), std::move(lister).unopened()};
}

DirectoryEntry show_found(const NamedFiles& files, const std::string& name) {
  std::optional<ViewEntry> file = files.find(name);
  if (!file) throw not_found("{} does not exist", name);
  file->name = name;
  return {*std::move(file), FileKind::file};
}

std::vector<Extension> extensions_of(const Node& node, const ListingContext& listing) {
  const std::vector<ViewEntry> files = offered_for_member(node, listing);
  std::vector<Extension> extensions;
  if (has_directory(node, files, listing) || std::holds_alternative<PlainFile>(node.content))
    extensions.push_back({{}, holds_only_unlisted(node, files)});
  for (const ViewEntry& file : files) {
    if (file.is_beside)
      extensions.push_back({file.name, file.is_unlisted, file.is_sized_by_reading, file.shows_again});
  }
  return extensions;
}

Opener open_plain_file(const Node& node, const ListingContext& listing) {
  const PlainFile& file = std::get<PlainFile>(node.content);
  if (file.error) return Opener([error = *file.error]() -> std::unique_ptr<ViewFile> { throw error; });
  if (file.open) return Opener([open = file.open] { return std::make_unique<ValueFile>(open()); });
  return Opener([path = file.path, &context = listing.context] {
    return std::make_unique<PlainFileView>(path, context);
  });
}

Attributes own_attributes(const Node& directory) {
  if (directory.attributes) return directory.attributes();
  return directory.parts ? directory.parts->attributes() : Attributes();
}

Node as_root_directory(Node root, bool is_top) {
  const bool is_table = std::holds_alternative<Table>(root.content);
  const bool is_array =
      std::holds_alternative<LabelledArray>(root.content) || std::holds_alternative<Error>(root.content);
  if (root.parts || (!is_array && !is_table)) return root;
  Node directory;
  if (is_top) directory.attributes = [root] { return attributes_of(root); };
  directory.parts = std::make_shared<LoneMember>(Member{is_table ? "table" : "array", std::move(root)});
  return directory;
}

}  // namespace plainfs
