#include "formats/mirror/archive.h"

#include <utility>

#include "formats/mirror/beside.h"
#include "formats/mirror/run.h"
#include "formats/schemas/parquet/store.h"
#include "formats/wrapped/wrapping.h"

namespace plainfs::folder {
namespace {

class ArchiveFolder : public Group {
 public:
  // place: of the folder inside the archive, "/" for its root.
  ArchiveFolder(std::string location, std::string place, GroupPtr parent, Context& context)
      : location_(std::move(location)),
        place_(std::move(place)),
        parent_(std::move(parent)),
        context_(context) {}

  std::vector<Member> members() const override {
    std::vector<Member> members;
    for (const Entry& entry : context_.files.open_folder(location_)->list(""))
      members.push_back({entry.name, member(entry.name, entry.kind)});
    add_beside(location_, members, context_);
    return members;
  }

  std::optional<Node> find(std::string_view name) const override {
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string_view::npos)
      return std::nullopt;
    const EntryKind kind = context_.files.kind_of(location_of(name));
    if (kind == EntryKind::nothing) return named_beside(location_, name, context_);
    return member(name, kind);
  }

  GroupPtr parent() const override { return parent_; }
  std::string path() const override { return place_; }

 private:
  std::string location_of(std::string_view name) const { return fmt::format("{}/{}", location_, name); }

  Node member(std::string_view name, EntryKind kind) const {
    const std::string location = location_of(name);
    Node node;
    PlainFile file{location};
    if (kind == EntryKind::folder)
      node.parts = std::make_shared<ArchiveFolder>(
          location, fmt::format("{}{}{}", place_, place_ == "/" ? "" : "/", name), shared_from_this(),
          context_);
    try {
      const Probe probe(location, context_.files);
      if (is_store_in_folder(probe))
        node.store = location;
      else
        file.is_table = parquet::recognises(probe);
    } catch (const Error& error) {
      file = PlainFile{location, nullptr, error};
    }
    node.content = std::move(file);
    return node;
  }

  const std::string location_;
  const std::string place_;
  const GroupPtr parent_;
  Context& context_;
};

}  // namespace

Store open_archive(const std::string& location, Context& context) {
  Store store;
  store.path = location;
  store.format = "tar archive";
  store.is_folder = true;
  store.root.content = PlainFile{location};
  store.root.parts = std::make_shared<ArchiveFolder>(location, "/", nullptr, context);
  if (Json::Object run = run_in(location, context); !run.empty())
    store.details.emplace_back("run", Json(std::move(run)));
  return store;
}

}  // namespace plainfs::folder
