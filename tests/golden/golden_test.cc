// Every case of tests/data against Filesystem, without FUSE: contents, sizes, slices, links and errors. A
// message names the section of fs/VIEWS.md that the file belongs to.
#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <functional>
#include <random>

#include "formats/open_store.h"
#include "formats/registry.h"
#include "fs/filesystem.h"
#include "tests/golden/content.h"
#include "tests/golden/golden_case.h"
#include "tests/support/test_context.h"

namespace plainfs::golden {
namespace {

const std::filesystem::path kData = PLAINFS_TEST_DATA;
constexpr std::string_view kFormats[] = {
    "bpcells", "h5seurat", "hdf5", "hdmf-zarr", "takane", "zarr", "zarr-implementations"};

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string_view section_of(const std::string& path) {
  const std::string name = file_name(path);
  if (name == ".attrs.json") return "section 1";
  if (name == "matrix.mtx" || name == "genes.tsv" || name == "barcodes.tsv") return "section 5";
  if (name == "fragments.tsv") return "section 6";
  return name.ends_with(".csv") ? "sections 2 to 4 and 7" : "sections 3 and 7";
}

// A store opened as a mount opens it.
class MountedCase {
 public:
  MountedCase(const std::filesystem::path& store, size_t cache_bytes) : context_(cache_bytes) {
    opened_ = std::make_shared<const Store>(open_store(store.string(), context_));
    filesystem_.emplace(opened_, Appearance{}, context_);
  }

  std::string read(const std::string& path) {
    const OpenFile file = filesystem_->open(filesystem_->find(path));
    std::string all;
    for (;;) {
      const std::string part = slice(file, all.size(), 1 << 17);
      all += part;
      if (part.size() < 1 << 17) return all;
    }
  }

  uint64_t size(const std::string& path) {
    return static_cast<uint64_t>(filesystem_->status(filesystem_->find(path)).st_size);
  }

  struct Sample {
    uint64_t offset;
    size_t length;
    std::string bytes;
  };
  // Reads at random places of a file of that size.
  std::vector<Sample> samples(const std::string& path, uint64_t size) {
    constexpr size_t kLengths[] = {1, 7, 100, 4096, 70000};
    const OpenFile file = filesystem_->open(filesystem_->find(path));
    std::mt19937_64 random(size);
    std::vector<Sample> all;
    for (int i = 0; i < 16 && size != 0; ++i) {
      const uint64_t offset = random() % size;
      const size_t length = kLengths[random() % std::size(kLengths)];
      all.push_back({offset, length, slice(file, offset, length)});
    }
    return all;
  }

  // The name of the error that stat, list or read of path gives; "ok" where there is none.
  std::string outcome(const std::string& path) {
    Inode inode = kRootInode;
    try {
      inode = filesystem_->find(path);
      if (S_ISDIR(filesystem_->status(inode).st_mode)) filesystem_->list(inode);
      if (S_ISREG(filesystem_->status(inode).st_mode)) read(path);
      return "ok";
    } catch (const Error& error) {
      const int code = filesystem_->report(inode, error);
      return code == EIO       ? "EIO"
             : code == ENOTSUP ? "ENOTSUP"
             : code == ENOENT  ? "ENOENT"
                               : fmt::format("errno {}", code);
    }
  }

  // Whether the folder of path can be listed and has it.
  bool lists(const std::string& path) {
    const size_t slash = path.rfind('/');
    try {
      const Inode folder = filesystem_->find(slash == std::string::npos ? "/" : path.substr(0, slash));
      return filesystem_->list(folder)->index.contains(file_name(path));
    } catch (const Error&) {
      return false;
    }
  }

  std::string link_target(const std::string& path) { return filesystem_->read_link(filesystem_->find(path)); }

  // Reads everything that is listed: it reads to the size that stat gives, or fails with an Error. Returns
  // what is wrong.
  void walk(const std::string& folder, std::vector<std::string>& wrong) {
    ListingPtr listing;
    try {
      listing = filesystem_->list(filesystem_->find(folder));
    } catch (const Error&) {
      return;
    }
    for (const Listing::Entry& entry : listing->entries) {
      const std::string path = folder + entry.name;
      try {
        const struct stat status = filesystem_->status(entry.inode);
        if (S_ISDIR(status.st_mode)) walk(path + "/", wrong);
        if (S_ISREG(status.st_mode) && read(path).size() != static_cast<uint64_t>(status.st_size))
          wrong.push_back(path);
      } catch (const Error&) {
        continue;
      }
    }
  }

 private:
  std::string slice(const OpenFile& file, uint64_t offset, size_t size) {
    const Slices slices = filesystem_->read(file, offset, size);
    std::string bytes(slices.size(), '\0');
    slices.copy_to(std::as_writable_bytes(std::span(bytes)));
    return bytes;
  }

  TestContext context_;
  StorePtr opened_;
  std::optional<Filesystem> filesystem_;
};

// What is wrong with the file at path, or an empty string. Random reads come first: they must not rest on a
// pass in order.
std::string check_file(MountedCase& mounted, const std::string& path, const std::string& want) {
  try {
    const uint64_t size = mounted.size(path);
    const auto samples = mounted.samples(path, size);
    const std::string got = mounted.read(path);
    if (got.size() != size) return fmt::format("stat says {} bytes, reading gives {}", size, got.size());
    for (const auto& sample : samples)
      if (sample.bytes != got.substr(sample.offset, sample.length))
        return fmt::format("{} bytes at {} differ from a read in order", sample.length, sample.offset);
    return difference(file_name(path), want, got);
  } catch (const Error& error) {
    return error.what();
  }
}

void check_files(MountedCase& mounted, const GoldenCase& golden) {
  for (const std::string& path : golden.expected) {
    const std::string problem = check_file(mounted, path, read_host_file(golden.folder / "expected" / path));
    BOOST_CHECK_MESSAGE(problem.empty(),
                        fmt::format("{} (VIEWS.md {}): {}", path, section_of(path), problem));
  }
}

void check_links(MountedCase& mounted, const GoldenCase& golden) {
  for (const auto& [path, target] : golden.links) {
    std::string got;
    try {
      got = mounted.link_target(path);
    } catch (const Error& error) {
      got = error.what();
    }
    BOOST_CHECK_MESSAGE(got == target,
                        fmt::format("{} (VIEWS.md section 1.1): '{}', not '{}'", path, got, target));
  }
}

void check_errors(MountedCase& mounted, const GoldenCase& golden) {
  for (const ExpectedError& error : golden.errors) {
    std::string outcomes;
    bool held = false;
    for (const std::string& path : error.paths) {
      const bool listed = mounted.lists(path);
      const std::string outcome = listed ? mounted.outcome(path) : "not listed";
      held = held || std::find(error.codes.begin(), error.codes.end(), outcome) != error.codes.end();
      outcomes += fmt::format("{}: {}, not {}; ", path, outcome, fmt::join(error.codes, " or "));
    }
    BOOST_CHECK_MESSAGE(held, fmt::format("(VIEWS.md section 9) {}", outcomes));
  }
  for (const std::string& path : golden.readable) {
    const std::string outcome = mounted.outcome(path);
    BOOST_CHECK_MESSAGE(outcome == "ok", fmt::format("{} (VIEWS.md section 9): {}", path, outcome));
  }
}

void check_case(const std::filesystem::path& folder) {
  const GoldenCase golden = read_case(folder);
  BOOST_REQUIRE(!golden.stores.empty());
  if (golden.mount_fails) {
    for (const std::filesystem::path& store : golden.stores)
      BOOST_CHECK_THROW(MountedCase(store, 1 << 20), Error);
    return;
  }
  if (golden.mount_may_fail) {
    try {
      MountedCase(golden.stores.front(), 1 << 20);
    } catch (const Error&) {
      return;
    }
  }
  // The second cache is smaller than most values, so that nothing rests on what was kept.
  for (const size_t cache_bytes : {size_t{64} << 20, size_t{16} << 10}) {
    MountedCase mounted(golden.stores.front(), cache_bytes);
    check_files(mounted, golden);
    check_links(mounted, golden);
    check_errors(mounted, golden);
    std::vector<std::string> wrong;
    mounted.walk("/", wrong);
    BOOST_CHECK_MESSAGE(wrong.empty(),
                        fmt::format("not of the size that stat gives: {}", fmt::join(wrong, ", ")));
  }
}

void add_suite(std::string_view name, const std::filesystem::path& folder) {
  using namespace boost::unit_test;
  test_suite* suite = BOOST_TEST_SUITE(std::string(name));
  for (const std::string& golden : cases_in(folder))
    suite->add(make_test_case([path = folder / golden] { check_case(path); }, golden, __FILE__, __LINE__));
  framework::master_test_suite().add(suite);
}

const bool registered = [] {
  for (const std::string_view format : kFormats) add_suite(format, kData / format);
  for (const std::string& format : cases_in(kData / "bad"))
    add_suite("bad-" + format, kData / "bad" / format);
  return true;
}();

}  // namespace
}  // namespace plainfs::golden
