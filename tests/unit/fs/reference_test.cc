// Filesystem against a trivial reference, under random operations: lookups, listings, sizes, opens and random
// reads, while the store is replaced now and then. A failure names its seed.
#include <boost/test/unit_test.hpp>
#include <random>

#include "formats/open_store.h"
#include "fs/filesystem.h"
#include "tests/support/reference_store.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

class Trial {
 public:
  Trial(uint64_t seed, size_t cache_bytes) : random_(seed), context_(cache_bytes) {
    reference_ = ReferenceStore::write(path_, random_);
    Appearance appearance;
    appearance.views = views_named("csv,npy,json");
    files_.emplace(std::make_shared<const Store>(open_store(path_, context_)), std::move(appearance),
                   context_);
  }

  void step() {
    switch (below(32)) {
      case 0:
        return reopen();
      case 1:
      case 2:
        return list();
      case 3:
        return look_up_nothing();
      case 4:
      case 5:
        return look_up();
      case 6:
      case 7:
      case 8:
        return ask_size();
      case 9:
      case 10:
        return open();
      default:
        return read();
    }
  }

 private:
  struct Opened {
    OpenFile file;
    std::string path;
    bool is_old = false;  // of the store before it was reopened
  };

  size_t below(size_t end) { return random_() % end; }
  const std::string& any_file() {
    auto file = reference_.files.begin();
    std::advance(file, below(reference_.files.size()));
    return file->first;
  }
  const std::pair<const std::string, std::set<std::string>>& any_folder() {
    auto folder = reference_.folders.begin();
    std::advance(folder, below(reference_.folders.size()));
    return *folder;
  }

  void reopen() {
    reference_ = ReferenceStore::write(path_, random_);
    files_->reopen();
    for (Opened& opened : opened_) opened.is_old = true;
  }

  void list() {
    const auto& [folder, names] = any_folder();
    std::set<std::string> listed;
    const ListingPtr listing = files_->list(files_->find(folder));
    for (const Listing::Entry& entry : listing->entries()) listed.insert(entry.name);
    BOOST_TEST(listed == names, boost::test_tools::per_element());
  }

  void look_up_nothing() {
    const auto& [folder, names] = any_folder();
    BOOST_CHECK_EXCEPTION(files_->lookup(files_->find(folder), "a0.tsv"), Error,
                          [](const Error& error) { return error.code() == Errc::not_found; });
  }

  void look_up() {
    const auto& [folder, names] = any_folder();
    const Inode inode = files_->find(folder);
    for (const std::string& name : names) {
      const Inode found = files_->lookup(inode, name);
      BOOST_TEST(found == files_->find(folder + "/" + name));
      const bool is_folder = reference_.folders.contains(folder.empty() ? name : folder + "/" + name);
      BOOST_TEST(bool(S_ISDIR(files_->status(found).st_mode)) == is_folder);
    }
  }

  void ask_size() {
    const std::string& path = any_file();
    BOOST_TEST(static_cast<uint64_t>(files_->status(files_->find(path)).st_size) ==
               reference_.files.at(path).size());
  }

  void open() {
    const std::string& path = any_file();
    opened_.push_back({files_->open(files_->find(path)), path});
    if (opened_.size() > 20) opened_.erase(opened_.begin() + static_cast<ptrdiff_t>(below(opened_.size())));
  }

  void read() {
    if (opened_.empty()) return open();
    const Opened& opened = opened_[below(opened_.size())];
    if (opened.is_old) {
      BOOST_CHECK_EXCEPTION(files_->read(opened.file, 0, 1), Error, [](const Error& error) {
        return std::string_view(error.what()).find("reopened") != std::string_view::npos;
      });
      return;
    }
    const std::string& want = reference_.files.at(opened.path);
    const size_t offset = below(want.size() + 10);
    const size_t size = below(4) == 0 ? below(want.size() + 10) : below(200);
    const Slices slices = files_->read(opened.file, offset, size);
    std::string got(slices.size(), '\0');
    slices.copy_to(std::as_writable_bytes(std::span(got)));
    BOOST_TEST((got == (offset < want.size() ? want.substr(offset, size) : "")),
               opened.path << ": " << size << " bytes at " << offset);
  }

  TemporaryDirectory temporary_;
  const std::string path_ = temporary_.path("store.zarr");
  std::mt19937_64 random_;
  TestContext context_;
  ReferenceStore reference_;
  std::optional<Filesystem> files_;
  std::vector<Opened> opened_;
};

BOOST_AUTO_TEST_SUITE(reference)

BOOST_AUTO_TEST_CASE(random_operations_match_a_plain_reader) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      Trial trial(seed, seed % 3 == 0 ? size_t{16} << 10 : size_t{16} << 20);
      for (int i = 0; i < 200; ++i) trial.step();
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
