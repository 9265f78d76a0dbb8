#include "formats/mirror/folder.h"

#include <algorithm>
#include <atomic>
#include <boost/filesystem.hpp>
#include <utility>

#include "formats/core/base/host_path.h"
#include "formats/core/model/node.h"
#include "formats/core/text/ascii.h"
#include "formats/mirror/beside.h"
#include "formats/mirror/run.h"
#include "formats/schemas/parquet/store.h"
#include "formats/wrapped/wrapping.h"

namespace plainfs::folder {
namespace {

namespace files = boost::filesystem;

// Returns whether path, with its own links resolved, is root or below it.
bool leads_into(const files::path& path, const files::path& root) {
  boost::system::error_code error;
  const files::path real = real_path(path, error);
  if (error && !is_absence(error.value())) throw unreadable("{}: {}", path.string(), error.message());
  if (error) return true;  // leads nowhere: shown unchanged
  return real.native() == root.native() || path_below(real.native(), root.native());
}

// Git's own data, which may have passwords and, by git-annex, a second name of every file.
constexpr std::string_view kGit = ".git";

// Returns whether path, with its links resolved, is below a folder with Git's data inside of root.
bool leads_into_git(const files::path& path, const files::path& root) {
  boost::system::error_code error;
  const std::optional<std::string> below = path_below(real_path(path, error).native(), root.native());
  const files::path inner(below.value_or(""));
  return !error && std::find(inner.begin(), inner.end(), files::path(std::string(kGit))) != inner.end();
}

bool is_named_as_hdf5(const files::path& path) {
  static constexpr std::string_view kEndings[] = {".h5ad", ".h5", ".h5mu", ".h5seurat", ".loom", ".nwb"};
  const std::string ending = lower_case(path.extension().string());
  return std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
}

class Folder : public Group {
 public:
  Folder(files::path path, files::path root, GroupPtr parent, Context& context)
      : path_(std::move(path)), root_(std::move(root)), parent_(std::move(parent)), context_(context) {}

  std::vector<Member> members() const override {
    std::vector<Member> members;
    size_t outside = 0;
    boost::system::error_code error;
    files::directory_iterator entries = open_folder(path_, error);
    for (; !error && entries != files::directory_iterator(); entries.increment(error)) {
      const std::string name = entries->path().filename().string();
      std::optional<Node> node = member(entries->path());
      if (!node) continue;
      outside += leads_out(*node);
      const auto* file = std::get_if<PlainFile>(&node->content);
      if (file && file->no_store) context_.warn(fmt::format("{}: {}", file->path, file->no_store->what()));
      members.push_back({name, std::move(*node)});
    }
    if (error) throw unreadable("{}: {}", path_.string(), error.message());
    if (outside > 0 && !is_logged_.exchange(true))
      context_.notice(fmt::format("{}: {} link{} out of the folder; -o follow_outside shows what {} to",
                                  path_.string(), outside, outside == 1 ? " leads" : "s lead",
                                  outside == 1 ? "it leads" : "they lead"));
    add_beside(path_.string(), members, context_);
    return members;
  }

  std::optional<Node> find(std::string_view name) const override {
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string_view::npos)
      return std::nullopt;
    if (std::optional<Node> found = member(path_ / std::string(name))) return found;
    return named_beside(path_.string(), name, context_);
  }

  GroupPtr parent() const override { return parent_; }
  std::string path() const override { return "/" + path_below(path_.native(), root_.native()).value_or(""); }

 private:
  // Returns whether node is a link to an existing target outside of the mirror. Links within the mirror have
  // their own text.
  bool leads_out(const Node& node) const {
    const auto* link = std::get_if<Link>(&node.content);
    boost::system::error_code error;
    return link && !context_.options.follow_outside && link->text.starts_with('/') &&
           files::exists(link->text, error);
  }

  // Returns a member that cannot be examined: it is listed, and reading it is an error.
  Node unreadable_member(const files::path& path, const Error& error) const {
    Node node;
    node.content = PlainFile{path.string(), nullptr, error};
    boost::system::error_code unknown;
    if (files::is_directory(path, unknown))
      node.parts = std::make_shared<BrokenGroup>(shared_from_this(), path.string(), error);
    return node;
  }
  Node unreadable_member(const files::path& path, const boost::system::error_code& error) const {
    return unreadable_member(path, unreadable("{}: {}", path.string(), error.message()));
  }

  // Returns nullopt for Git's data, too.
  std::optional<Node> member(const files::path& path) const {
    if (path.filename() == std::string(kGit)) return std::nullopt;
    try {
      return seen(path);
    } catch (const Error& error) {
      return unreadable_member(path, error);
    }
  }

  // Returns the member at path; nullopt if it is neither file, folder nor link (sockets, devices), or is the
  // mount point of this folder.
  std::optional<Node> seen(const files::path& path) const {
    if (path.native() == context_.options.mountpoint) return std::nullopt;
    boost::system::error_code error;
    files::file_status status = files::symlink_status(path, error);
    if (status.type() == files::status_error) return unreadable_member(path, error);
    Node node;
    const bool is_link = status.type() == files::symlink_file;
    if (is_link && !context_.options.follow_outside && !leads_into(path, root_)) {
      node.content = Link{{}, {}, real_path(path, error).string(), true};
      return node;
    }
    const Probe probe(path.string(), context_.files);
    const bool is_store = is_store_in_folder(probe);
    if (is_link) {
      // git-annex has each file below .git, and a link to it in its place.
      if (leads_into(path, root_) && !is_store &&
          !(leads_into_git(path, root_) && files::is_regular_file(path, error))) {
        node.content = Link{{}, {}, files::read_symlink(path, error).string(), true};
        return node;
      }
      status = files::status(path, error);
      if (status.type() == files::status_error) return unreadable_member(path, error);
      if (status.type() == files::directory_file && !is_store) {
        node.content = Link{{}, {}, real_path(path, error).string(), true};
        return node;
      }
    }
    if (status.type() != files::regular_file && status.type() != files::directory_file) return std::nullopt;
    PlainFile file{path.string()};
    if (!is_store && status.type() == files::regular_file && is_named_as_hdf5(path))
      file.no_store = Error(Errc::unknown_format, "not an HDF5 file, in spite of its name; shown as it is");
    file.is_table = !is_store && parquet::recognises(probe);
    node.content = std::move(file);
    if (status.type() == files::directory_file) {
      node.parts = std::make_shared<Folder>(path, root_, shared_from_this(), context_);
    }
    if (is_store) node.store = path.string();
    return node;
  }

  const files::path path_;
  const files::path root_;  // of the mirror, with links resolved
  const GroupPtr parent_;
  Context& context_;
  mutable std::atomic<bool> is_logged_{false};  // whether links out of the mirror were reported
};

}  // namespace

Store open(const Probe& probe, Context& context) {
  boost::system::error_code error;
  const files::path root = real_path(probe.location(), error);
  if (error) throw unreadable("{}", error.message());
  Store store;
  store.path = probe.location();
  store.format = "folder";
  store.is_folder = true;
  store.root.content = PlainFile{probe.location()};
  store.root.parts = std::make_shared<Folder>(root, root, nullptr, context);
  open_folder(root, error);
  if (error) throw unreadable("{}", error.message());
  if (Json::Object run = run_in(root.string(), context); !run.empty())
    store.details.emplace_back("run", Json(std::move(run)));
  return store;
}

}  // namespace plainfs::folder
