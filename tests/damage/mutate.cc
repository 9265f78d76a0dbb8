// Changes stores at random and checks the result of each change: mutate COUNT SEED STORE…
// A change sets a bit or a byte, truncates a file or swaps two blocks. In a folder store it also removes a
// file, replaces it by a folder, a FIFO or a link to itself, or appends 64 MiB of zeros. Each variant is read
// whole in a child process and compared with the original store. The last line is "N passed, N failed".
// Failures are named by number and kept in the folder that PLAINFS_DAMAGE_KEEP names.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <boost/filesystem/fstream.hpp>
#include <cstdlib>
#include <iterator>
#include <map>
#include <random>

#include "tests/damage/child.h"
#include "tests/damage/store_walk.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace plainfs::damage {
namespace {
namespace disk = boost::filesystem;

enum Outcome : int {
  same = 10,    // every file is unchanged
  part_failed,  // every difference is an Error or an absent file
  changed,      // files have other bytes, all near the change
  far_changed,  // files have other bytes that the change does not explain
  wrong,        // a file differs from its size, or in a second read
};

constexpr std::pair<int, const char*> kOutcomes[] = {{same, "same bytes"},
                                                     {part_failed, "an error"},
                                                     {refused, "does not open"},
                                                     {changed, "another value near the change"},
                                                     {far_changed, "ANOTHER VALUE"},
                                                     {wrong, "WRONG SIZE OR UNSTEADY"},
                                                     {died_in_library, "died in libhdf5"},
                                                     {died, "DIED"},
                                                     {out_of_time, "OUT OF TIME"},
                                                     {foreign_exception, "FOREIGN EXCEPTION"}};

constexpr int kFailures[] = {far_changed, wrong, died, out_of_time, foreign_exception};

std::string bytes_of(const disk::path& file) {
  disk::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

WalkResult content_of(const std::string& store) {
  TestContext context(size_t{16} << 20, 0);
  return read_everything(store, context);
}

// Boost's copy_file of 1.74 fails if /tmp is another file system.
void copy_bytes(const disk::path& from, const disk::path& to) {
  disk::ofstream(to, std::ios::binary) << bytes_of(from);
}

void copy_store(const disk::path& from, const disk::path& to) {
  disk::remove_all(to);
  if (!disk::is_directory(from)) {
    copy_bytes(from, to);
    return;
  }
  disk::create_directories(to);
  for (const disk::directory_entry& entry : disk::recursive_directory_iterator(from)) {
    const disk::path target = to / entry.path().lexically_relative(from);
    if (disk::is_directory(entry.path()))
      disk::create_directories(target);
    else
      copy_bytes(entry.path(), target);
  }
}

class Mutation {
 public:
  Mutation(const disk::path& store, std::mt19937_64& random) : store_(store), random_(random) {
    std::vector<disk::path> files;
    if (disk::is_directory(store))
      for (const disk::directory_entry& entry : disk::recursive_directory_iterator(store))
        if (disk::is_regular_file(entry.path())) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    file_ = files.empty() ? store : files[below(files.size())];
    disk::path folder = file_ == store ? store : file_.parent_path();
    while (folder != store && !disk::exists(folder / ".zarray") && !disk::exists(folder / "zarr.json"))
      folder = folder.parent_path();
    const disk::path near = folder == store ? store : labelled_by(folder.parent_path());
    if (near != store) near_ = near.lexically_relative(store).string() + "/";
  }

  // Changes one file of the store. Returns a description of the change.
  std::string apply() {
    const bool is_inside = file_ != store_;
    switch (below(is_inside ? 12 : 7)) {
      case 0:
      case 1:
      case 2:
        return change_byte(static_cast<char>(1 << below(8)), "bit flipped");
      case 3:
      case 4:
        return change_byte(static_cast<char>(1 + below(255)), "byte changed");
      case 5:
        return cut();
      case 6:
        return swap();
      case 7:
        disk::remove(file_);
        return "removed";
      case 8:
        disk::remove(file_);
        disk::create_directory(file_);
        return "a folder in its place";
      case 9:
        disk::remove(file_);
        if (mkfifo(file_.c_str(), 0600) != 0) return "removed";
        return "a FIFO in its place";
      case 10:
        disk::remove(file_);
        disk::create_symlink(file_.filename(), file_);
        return "a link to itself in its place";
      default:
        disk::resize_file(file_, disk::file_size(file_) + (uintmax_t{1} << 26));
        return "64 MiB of nothing behind it";
    }
  }

  std::string file() const { return file_ == store_ ? "" : file_.lexically_relative(store_).string(); }

  // Returns whether a change of the file may affect the view at `path`. The data of a Zarr array affect the
  // views beside the array and below it, the table of a parent folder, the files for native tools of anything
  // below their folder, and an .h5ad or a generated .zarr, which hold the whole store. Any view may change if
  // the store is one file, or if all its files form one object.
  bool explains(const std::string& path) const {
    if (near_.empty() || path.starts_with(near_) || path.ends_with(".h5ad") ||
        path.find(".zarr/") != path.npos)
      return true;
    // The cells of a level have the data of all cells and are selected by the column.
    if (const size_t by = path.find("by/"); by == 0 || (by != path.npos && path[by - 1] == '/')) {
      const size_t level = path.find('/', by + 3), rest = path.find('/', level + 1);
      if (level != path.npos && near_.ends_with("/" + path.substr(by + 3, level - by - 2))) return true;
      if (rest != path.npos) return explains(path.substr(0, by) + path.substr(rest + 1));
    }
    const std::string stem = path.substr(0, path.rfind('.'));
    if (stem != path && near_.starts_with(stem + "/")) return true;
    const size_t generated = std::min({path.find("10x/"), path.find("bpcells/"), path.find("pseudobulk/")});
    const std::string folder = path.substr(0, generated != path.npos ? generated : path.rfind('/') + 1);
    return (generated != path.npos || path.ends_with(".rds")) && near_.starts_with(folder);
  }

 private:
  size_t below(size_t end) { return random_() % end; }

  // The obs and var of an AnnData hold the names of everything beside them.
  static disk::path labelled_by(const disk::path& folder) {
    const disk::path above = folder.parent_path();
    const bool are_names = folder.filename() == "obs" || folder.filename() == "var";
    return are_names && disk::exists(above / "obs") && disk::exists(above / "var") ? above : folder;
  }

  std::string content() const { return bytes_of(file_); }
  void write(const std::string& bytes) const { disk::ofstream(file_, std::ios::binary) << bytes; }

  std::string change_byte(char difference, const char* what) {
    std::string bytes = content();
    if (bytes.empty()) return "nothing";
    const size_t at = below(bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ difference);
    write(bytes);
    return fmt::format("{} at {}", what, at);
  }

  std::string cut() {
    const uintmax_t size = disk::file_size(file_);
    const uintmax_t left = size == 0 ? 0 : below(size);
    disk::resize_file(file_, left);
    return fmt::format("cut to {} of {}", left, size);
  }

  std::string swap() {
    std::string bytes = content();
    const size_t length = 1 + below(bytes.size() / 8 + 1);
    if (bytes.size() < 2 * length) return "nothing";
    const size_t from = below(bytes.size() - 2 * length + 1),
                 to = from + length + below(bytes.size() - 2 * length - from + 1);
    std::swap_ranges(bytes.begin() + static_cast<ptrdiff_t>(from),
                     bytes.begin() + static_cast<ptrdiff_t>(from + length),
                     bytes.begin() + static_cast<ptrdiff_t>(to));
    write(bytes);
    return fmt::format("{} bytes at {} and {} swapped", length, from, to);
  }

  const disk::path store_;
  std::mt19937_64& random_;
  disk::path file_;
  std::string near_;
};

// Unbuffered: this is a child process, which ends without flushing.
void report(const std::string& path, const char* what) {
  fmt::print(stderr, "  {}: {}\n", path, what);
}

// Returns the target of the link at `path`, relative to the store's root like `path`.
std::string target_of(const std::string& path, const std::string& target) {
  return (disk::path(path).parent_path() / target).lexically_normal().string();
}

int compare(const WalkResult& good, const WalkResult& now, const Mutation& mutation) {
  if (!now.wrong.empty()) {
    report(now.wrong, "of the next change");
    return wrong;
  }
  int outcome = now.errors > 0 ? part_failed : same;
  for (const auto& [path, content] : good.content)
    if (!now.content.contains(path)) outcome = std::max<int>(outcome, part_failed);
  for (const auto& [path, content] : now.content) {
    const auto before = good.content.find(path);
    if (!content || (before != good.content.end() && before->second == content)) continue;
    const auto link = now.links.find(path);
    const bool is_explained = mutation.explains(path) ||
                              (link != now.links.end() && mutation.explains(target_of(path, link->second)));
    if (!is_explained) report(path, before == good.content.end() ? "was not there" : "has other bytes");
    outcome = std::max<int>(outcome, is_explained ? changed : far_changed);
  }
  return outcome;
}

// Uses cp, because there may be FIFOs and links to themselves.
void keep(const disk::path& store, const std::string& name) {
  const char* folder = std::getenv("PLAINFS_DAMAGE_KEEP");
  if (!folder) return;
  const std::string target = (disk::path(folder) / name).string();
  disk::create_directories(target);
  if (std::system(fmt::format("cp -a '{}' '{}'", store.string(), target).c_str()) != 0)
    fmt::print(stderr, "  not kept\n");
}

// Returns the number of variants for each outcome of `count` changes.
std::map<int, int> trials(const disk::path& store, int count, uint64_t seed) {
  const TemporaryDirectory temporary;
  const disk::path copy = disk::path(temporary.path()) / store.filename();
  copy_store(store, copy);
  const WalkResult good = content_of(copy.string());
  std::map<int, int> outcomes;
  std::mt19937_64 random(seed);
  for (int i = 0; i < count; ++i) {
    copy_store(store, copy);
    Mutation mutation(copy, random);
    const std::string what = mutation.apply();
    const int outcome = fate_of([&] { return compare(good, content_of(copy.string()), mutation); });
    ++outcomes[outcome];
    if (std::find(std::begin(kFailures), std::end(kFailures), outcome) != std::end(kFailures)) {
      fmt::print("{} change {} of seed {}: {}: {}: outcome {}\n", store.string(), i, seed, mutation.file(),
                 what, outcome);
      std::fflush(stdout);
      keep(copy, fmt::format("{}-{}-{}", store.parent_path().filename().string(), seed, i));
    }
  }
  return outcomes;
}

}  // namespace
}  // namespace plainfs::damage

int main(int count, char** arguments) {
  using namespace plainfs::damage;
  if (count < 4) {
    fmt::print(stderr, "usage: mutate COUNT SEED STORE...\n");
    return 2;
  }
  const int wanted = std::atoi(arguments[1]), stores = count - 3;
  const uint64_t seed = std::strtoull(arguments[2], nullptr, 10);
  std::map<int, int> all;
  for (int i = 0; i < stores; ++i) {
    const int share = wanted / stores + (i < wanted % stores ? 1 : 0);
    for (const auto& [outcome, times] : trials(arguments[3 + i], share, seed + static_cast<uint64_t>(i)))
      all[outcome] += times;
  }
  int failed = 0;
  for (const auto& [outcome, name] : kOutcomes)
    if (all[outcome] > 0) fmt::print("{:>8}  {}\n", all[outcome], name);
  for (const int outcome : kFailures) failed += all[outcome];
  fmt::print("{} passed, {} failed\n", wanted - failed, failed);
  return failed == 0 ? 0 : 1;
}
