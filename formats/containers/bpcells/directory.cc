#include "formats/containers/bpcells/directory.h"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/containers/bpcells/stored_files.h"
#include "formats/containers/bpcells/version.h"

namespace plainfs::bpcells {
namespace {

constexpr uint64_t kMaxVersionBytes = 4096;

// Array names that are unlikely to stand beside a file `version` in any other kind of directory.
constexpr std::array kOwnNames = {"idxptr",     "chr_ptr",   "storage_order", "val_data",
                                  "index_data", "cell_data", "start_data",    "end_data"};

std::string without_line_end(std::string line) {
  if (line.ends_with('\n')) line.pop_back();
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

std::string read_version(const std::string& directory, Context& context) {
  const Bytes bytes = context.files.read_whole(directory + "/version", kMaxVersionBytes);
  const std::string line = without_line_end(std::string(as_text(bytes)));
  if (bytes.empty() || line.find('\n') != std::string::npos)
    throw damaged("version does not have exactly one line");
  return line;
}

class DirectoryGroup final : public Group {
 public:
  DirectoryGroup(std::string directory, std::string version_text, const StoredVersion& version,
                 Context& context)
      : directory_(std::move(directory)),
        version_text_(std::move(version_text)),
        arrays_(directory_arrays(version)),
        context_(context) {}

  std::vector<Member> members() const override {
    std::vector<Member> present;
    for (const DirectoryArray& array : arrays_) {
      if (std::optional<Node> node = open(array)) present.push_back({array.name, std::move(*node)});
    }
    return present;
  }

  std::optional<Node> find(std::string_view name) const override {
    for (const DirectoryArray& array : arrays_) {
      if (array.name == name) return open(array);
    }
    return std::nullopt;
  }

  Attributes attributes() const override { return {{"version", Json(version_text_)}}; }
  GroupPtr parent() const override { return nullptr; }
  std::string path() const override { return "/"; }

 private:
  std::optional<Node> open(const DirectoryArray& array) const {
    const std::string path = directory_ + "/" + array.name;
    Node node;
    try {
      if (!context_.files.open_if_exists(path)) return std::nullopt;
      ArrayPtr values =
          array.type.kind == Kind::text ? line_file(path, context_) : number_file(path, array.type, context_);
      node.content = LabelledArray{std::move(values), nullptr, nullptr};
    } catch (const Error& error) {
      node.content = error.at(array.name);
    }
    return node;
  }

  std::string directory_;
  std::string version_text_;
  std::vector<DirectoryArray> arrays_;
  Context& context_;
};

}  // namespace

bool recognises_directory(const Probe& probe) {
  if (!probe.has_file("version")) return false;
  const Bytes version = probe.bytes_of("version", kMaxVersionBytes);
  if (parse_version(without_line_end(std::string(as_text(version))))) return true;
  return std::any_of(std::begin(kOwnNames), std::end(kOwnNames),
                     [&](const char* name) { return probe.has_file(name); });
}

Store open_directory(const Probe& probe, Context& context) {
  const std::string text = read_version(probe.location(), context);
  const std::optional<StoredVersion> version = parse_version(text);
  if (!version) throw unsupported("unknown BPCells version {}", to_json_text(Json(text)));
  Store store;
  store.path = probe.location();
  store.format = "BPCells directory";
  store.version = text;
  store.root.parts = std::make_shared<DirectoryGroup>(probe.location(), text, *version, context);
  return store;
}

}  // namespace plainfs::bpcells
