#include "formats/wrapped/wrapping.h"

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "formats/core/base/scratch.h"
#include "formats/core/base/used_sources.h"
#include "formats/core/unpacked/unpacked_file.h"
#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/unpacked/compress.h"

namespace {

using namespace plainfs;
using unpacked::Compression;

// The beginning of an HDF5 file, and bytes that do not compress.
std::string hdf5(size_t size = 1000) {
  std::mt19937 random(3);
  std::string bytes("\x89HDF\r\n\x1a\n");
  while (bytes.size() < size) bytes += static_cast<char>(random());
  return bytes;
}

class Files {
 public:
  std::string write(const std::string& name, const std::string& content) {
    const std::string path = directory_.path(name);
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  std::string folder(const std::string& name) const { return directory_.path(name); }

 private:
  TemporaryDirectory directory_;
};

// Results of passes in memory, and a folder for scratch files.
class Remembered : public Passes {
 public:
  explicit Remembered(std::shared_ptr<ScratchFolder> folder = nullptr) : folder_(std::move(folder)) {}
  std::shared_ptr<const std::vector<uint64_t>> known(const std::string& location, const std::string& name,
                                                     Sources&) override {
    const auto found = numbers_.find({location, name});
    return found == numbers_.end() ? nullptr : std::make_shared<const std::vector<uint64_t>>(found->second);
  }
  void keep(const std::string& location, const std::string& name, std::vector<uint64_t> numbers,
            std::chrono::steady_clock::duration, Sources&) override {
    numbers_[{location, name}] = std::move(numbers);
  }
  void discard(const std::string& location, Sources&) override {
    std::erase_if(numbers_, [&](const auto& entry) { return entry.first.first == location; });
  }
  std::shared_ptr<ScratchFolder> scratch() const override { return folder_; }

 private:
  const std::shared_ptr<ScratchFolder> folder_;
  std::map<std::pair<std::string, std::string>, std::vector<uint64_t>> numbers_;  // by location and name
};

bool is_store_at(const std::string& path) {
  TestContext context;
  return is_store(Probe(path, context.files));
}

bool is_directory_in_folder(const std::string& path) {
  TestContext context;
  return is_store_in_folder(Probe(path, context.files));
}

std::string content_of(const File& file) {
  return std::string(as_text(file.read_at(0, static_cast<size_t>(file.size()))));
}

BOOST_AUTO_TEST_SUITE(wrappings)

BOOST_AUTO_TEST_CASE(compressed_store_of_any_name_is_recognised) {
  Files files;
  for (const Compression compression : unpacked::kCompressions) {
    BOOST_TEST_CONTEXT(name_of(compression)) {
      BOOST_TEST(is_store_at(files.write("any name", unpacked::compress(hdf5(), compression))));
      BOOST_TEST(is_directory_in_folder(files.write("x.h5ad.gz", unpacked::compress(hdf5(), compression))));
    }
  }
  BOOST_TEST(!is_store_at(files.write("a.h5ad.gz", unpacked::compress("no store", Compression::gzip))));
}

BOOST_AUTO_TEST_CASE(slow_compression_is_examined_only_if_named_as_store) {
  Files files;
  BOOST_TEST(!is_directory_in_folder(files.write("x.csv.xz", unpacked::compress(hdf5(), Compression::xz))));
  BOOST_TEST(is_directory_in_folder(files.write("x.csv.gz", unpacked::compress(hdf5(), Compression::gzip))));
}

BOOST_AUTO_TEST_CASE(content_is_the_file_inside) {
  Files files;
  const std::string text = hdf5(300'000);
  TestContext context;
  const std::string path = files.write("x.h5ad.gz", unpacked::compress(text, Compression::gzip));
  const std::optional<Unwrapped> unwrapped = unwrap(Probe(path, context.files), context);
  BOOST_REQUIRE(unwrapped);
  BOOST_TEST(unwrapped->location == path + "/x.h5ad");
  BOOST_TEST(!unwrapped->is_archive);
  const FilePtr file = context.files.open(unwrapped->location);
  BOOST_TEST((content_of(*file) == text));
  BOOST_TEST(file->path() == unwrapped->location);
  BOOST_TEST((context.files.kind_of(unwrapped->location) == EntryKind::file));
  BOOST_TEST((context.files.kind_of(path) == EntryKind::file));
  BOOST_TEST(context.files.place_of(unwrapped->location) == path);
  BOOST_TEST(!context.files.open_if_exists(path + "/y.h5ad"));
}

BOOST_AUTO_TEST_CASE(several_compressions_are_undone) {
  Files files;
  const std::string text = hdf5(), once = unpacked::compress(text, Compression::gzip);
  TestContext context;
  const std::string path = files.write("x.h5ad.gz.xz", unpacked::compress(once, Compression::xz));
  const std::optional<Unwrapped> unwrapped = unwrap(Probe(path, context.files), context);
  BOOST_REQUIRE(unwrapped);
  BOOST_TEST(unwrapped->location == path + "/x.h5ad");
  BOOST_TEST((content_of(*context.files.open(unwrapped->location)) == text));
}

BOOST_AUTO_TEST_CASE(location_inside_is_found_in_a_new_session) {
  Files files;
  const std::string text = hdf5();
  const std::string path = files.write("x.h5ad.gz", unpacked::compress(text, Compression::gzip));
  TestContext context;
  BOOST_TEST((context.files.kind_of(path + "/x.h5ad") == EntryKind::nothing));
  unwrap_around(path + "/x.h5ad", context);
  BOOST_TEST((content_of(*context.files.open(path + "/x.h5ad")) == text));
}

BOOST_AUTO_TEST_CASE(folders_around_a_store_are_not_its_sources) {
  Files files;
  const std::string path = files.write("x.h5ad.gz", unpacked::compress(hdf5(), Compression::gzip));
  TestContext context;
  UsedSources used(context.files, path);
  Context of_store{context.cache,
                   context.workers,
                   context.decode_budget,
                   context.unit_budget,
                   used,
                   context.counters,
                   {},
                   context.context.warn};
  unwrap_around(path, of_store);
  BOOST_TEST(used.names().empty());
  unwrap_around(path + "/x.h5ad", of_store);
  used.open(path + "/x.h5ad");
  const std::vector<std::string> names = used.names();
  BOOST_REQUIRE(names.size() == 1u);
  BOOST_TEST(names[0] == path);
}

BOOST_AUTO_TEST_CASE(places_of_an_earlier_session_are_used) {
  Files files;
  Remembered passes;
  const std::string text = hdf5(20 << 20);
  const std::string path = files.write("x.h5ad.gz", unpacked::compress(text, Compression::gzip));
  uint64_t bytes_read[2];
  for (uint64_t& read : bytes_read) {
    TestContext context;
    context.context.passes = &passes;
    const std::optional<Unwrapped> unwrapped = unwrap(Probe(path, context.files), context);
    BOOST_REQUIRE(unwrapped);
    const FilePtr file = context.files.open(unwrapped->location);
    const Bytes some = file->read_at(15 << 20, 1000);
    BOOST_TEST((as_text(some) == std::string_view(text).substr(15 << 20, 1000)));
    read = context.counters.source_bytes_read;
  }
  BOOST_TEST(bytes_read[0] > text.size());
  BOOST_TEST(bytes_read[1] < text.size() / 2);
}

// Returns a member of a tar archive.
std::string tar_member(const std::string& name, const std::string& content) {
  std::string block(512, '\0');
  name.copy(block.data(), 100);
  std::snprintf(block.data() + 124, 12, "%011zo", content.size());
  std::memset(block.data() + 148, ' ', 8);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  std::snprintf(block.data() + 148, 8, "%06o", sum);
  block += content;
  block.resize((block.size() + 511) / 512 * 512, '\0');
  return block;
}

BOOST_AUTO_TEST_CASE(members_of_an_archive_are_not_read_again) {
  Files files;
  const std::string content = hdf5(200'000);
  std::string archive;
  for (int i = 0; i < 100; ++i) archive += tar_member(std::to_string(i) + ".h5", content);
  for (const Compression compression : {Compression::none, Compression::gzip}) {
    Remembered passes;
    const std::string path = files.write("x.tar", unpacked::compress(archive, compression));
    uint64_t bytes_read[2];
    for (uint64_t& read : bytes_read) {
      TestContext context;
      context.context.passes = &passes;
      const std::optional<Unwrapped> unwrapped = unwrap(Probe(path, context.files), context);
      BOOST_REQUIRE(unwrapped);
      BOOST_TEST(context.files.open_folder(path)->list("").size() == 100u);
      read = context.counters.source_bytes_read;
      BOOST_TEST((content_of(*context.files.open(path + "/7.h5")) == content));
    }
    BOOST_TEST(bytes_read[1] < bytes_read[0] / 3, bytes_read[1] << " of " << bytes_read[0]);
  }
}

BOOST_AUTO_TEST_CASE(large_block_goes_into_a_scratch_file) {
  Files files;
  Remembered passes(std::make_shared<ScratchFolder>(files.folder("index"), uint64_t{64} << 20));
  const std::string text = hdf5() + std::string(40 << 20, '\0');
  const std::string path = files.write("x.h5ad.zst", unpacked::compress(text, Compression::zstd));
  TestContext context(1 << 20);
  context.context.passes = &passes;
  const unpacked::Unpacked content =
      unpacked::unpack(context.files.open(path), Compression::zstd, path + "/x.h5ad", "the places", context);
  BOOST_TEST(content.is_in_scratch);
  BOOST_TEST((content_of(*content.file) == text));
}

BOOST_AUTO_TEST_CASE(large_block_of_xz_without_scratch_is_unsupported) {
  Files files;
  const std::string text = hdf5() + std::string(40 << 20, '\0');
  const std::string path = files.write("x.h5ad.xz", unpacked::compress(text, Compression::xz));
  for (const bool has_folder : {false, true}) {
    Remembered passes(has_folder ? std::make_shared<ScratchFolder>(files.folder("index"), uint64_t{1} << 20)
                                 : nullptr);
    TestContext context(1 << 20);
    context.context.passes = &passes;
    const unpacked::Unpacked content =
        unpacked::unpack(context.files.open(path), Compression::xz, path + "/x.h5ad", "the places", context);
    BOOST_TEST(!content.is_in_scratch);
    BOOST_CHECK_EXCEPTION(content.file->read_at(0, 10), Error,
                          mentions("more than the 1048576 of the cache"));
  }
}

BOOST_AUTO_TEST_CASE(damage_anywhere_is_an_error_of_opening) {
  Files files;
  std::string packed = unpacked::compress(hdf5(500'000), Compression::gzip);
  packed[packed.size() - 6] ^= 1;  // in the checksum
  const std::string path = files.write("x.h5ad.gz", packed);
  TestContext context;
  BOOST_CHECK_EXCEPTION(unwrap(Probe(path, context.files), context), Error,
                        mentions("the content does not match its checksum"));
  BOOST_TEST(!context.files.inside().has(path));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
