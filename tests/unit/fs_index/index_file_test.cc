#include "fs/index/index_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "formats/core/base/error.h"
#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"

namespace plainfs {
namespace {

const std::string kKey("store\0options", 13);

const Measured kSome{std::string("csv array 1\0x", 13), {7, 10, UINT64_MAX, 0, 3, 1ULL << 63}};

bool same(const Measured& a, const Measured& b) {
  return a.version == b.version && a.numbers == b.numbers;
}

// An index of three files.
Bytes sample() {
  const Bytes some = encode_measured(kSome);
  return encode_index(kKey, {{"/store", "7 1 2 3"}, {"/store/x/", "absent"}},
                      {{"a/b.csv", some}, {"a/bc.csv", encode_measured({})}, {"z", some}});
}

void write(const std::string& path, ByteSpan bytes) {
  std::ofstream(path, std::ios::binary)
      .write(as_text(bytes).data(), static_cast<std::streamsize>(bytes.size()));
}

struct Folder {
  TemporaryDirectory directory;
  const std::string path = directory.path("x.sizes");
  std::unique_ptr<const IndexFile> open() const { return IndexFile::open(path, kKey); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(index_file)

BOOST_AUTO_TEST_CASE(measurements_survive_a_round_trip) {
  BOOST_TEST(same(*decode_measured(encode_measured(kSome)), kSome));
  BOOST_TEST(same(*decode_measured(encode_measured({})), {}));
}

BOOST_AUTO_TEST_CASE(wrong_length_is_damaged) {
  Bytes bytes = encode_measured(kSome);
  for (size_t size = 0; size < bytes.size(); ++size)
    BOOST_CHECK_EXCEPTION(decode_measured(ByteSpan(bytes).first(size)), Error, mentions("bytes"));
  bytes.push_back(std::byte{0});
  BOOST_CHECK_EXCEPTION(decode_measured(bytes), Error, mentions("trailing bytes"));
  const Bytes claims{std::byte{0}, std::byte{0xff}, std::byte{0xff}, std::byte{0x7f}};
  BOOST_CHECK_EXCEPTION(decode_measured(claims), Error, mentions("items in"));
}

BOOST_AUTO_TEST_CASE(file_contains_the_written_entries) {
  const Folder folder;
  BOOST_TEST(!folder.open());
  write(folder.path, sample());
  const auto file = folder.open();
  BOOST_REQUIRE_EQUAL(file->sources().size(), 2u);
  BOOST_TEST(file->sources()[1].name == "/store/x/");
  BOOST_TEST(file->sources()[1].stamp == "absent");
  BOOST_REQUIRE_EQUAL(file->places().size(), 3u);
  BOOST_TEST(same(*decode_measured(file->measured(*file->find("z"))), kSome));
  BOOST_TEST(same(*decode_measured(file->measured(*file->find("a/b.csv"))), kSome));
  BOOST_TEST(same(*decode_measured(file->measured(*file->find("a/bc.csv"))), {}));
  for (const char* const absent : {"", "a", "a/b", "a/bc.csvx", "zz"}) BOOST_TEST(!file->find(absent));
}

BOOST_AUTO_TEST_CASE(a_file_of_another_store_is_not_used) {
  const Folder folder;
  write(folder.path, sample());
  BOOST_CHECK_EXCEPTION(IndexFile::open(folder.path, "store"), Error, mentions("an index of another store"));
}

BOOST_AUTO_TEST_CASE(file_truncated_anywhere_is_damaged) {
  const Folder folder;
  const Bytes whole = sample();
  for (size_t size = 0; size < whole.size(); ++size) {
    write(folder.path, ByteSpan(whole).first(size));
    BOOST_CHECK_EXCEPTION(folder.open(), Error, mentions("bytes"));
  }
}

BOOST_AUTO_TEST_CASE(no_byte_can_be_changed_unseen) {
  const Folder folder;
  const Bytes whole = sample();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned change : {1U, 0x80U, 0xffU}) {
      Bytes changed = whole;
      changed[at] ^= std::byte(change);
      write(folder.path, changed);
      try {
        const auto file = folder.open();
        for (const IndexFile::Place& place : file->places()) file->measured(place);
        BOOST_ERROR("byte " << at << " ^ " << change);
      } catch (const Error& error) {
        BOOST_TEST((error.code() == Errc::damaged));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(only_plain_files_of_the_user_are_read) {
  const Folder folder;
  BOOST_REQUIRE_EQUAL(::mkfifo(folder.path.c_str(), 0600), 0);
  BOOST_CHECK_EXCEPTION(folder.open(), Error, mentions("not a regular file"));
  ::unlink(folder.path.c_str());
  write(folder.directory.path("real"), sample());
  BOOST_REQUIRE_EQUAL(::symlink("real", folder.path.c_str()), 0);
  BOOST_CHECK_EXCEPTION(folder.open(), Error, mentions("Too many levels of symbolic links"));
  ::unlink(folder.path.c_str());
  if (::geteuid() != 0) return;
  write(folder.path, sample());
  BOOST_REQUIRE_EQUAL(::chown(folder.path.c_str(), 12345, 0), 0);
  BOOST_CHECK_EXCEPTION(folder.open(), Error, mentions("owned by user 12345"));
}

BOOST_AUTO_TEST_CASE(index_too_large_to_read_is_not_written) {
  const std::vector<IndexEntry> vast{{std::string(size_t{65} << 20, 'x'), encode_measured({})}};
  BOOST_CHECK_EXCEPTION(encode_index("key", {}, vast), Error, mentions("an index of"));
}

BOOST_AUTO_TEST_CASE(oversized_file_is_not_read) {
  const Folder folder;
  write(folder.path, sample());
  BOOST_TEST(folder.open() != nullptr);
  BOOST_REQUIRE_EQUAL(::truncate(folder.path.c_str(), off_t{1} << 40), 0);
  BOOST_CHECK_EXCEPTION(folder.open(), Error, mentions("a file of 1099511627776 bytes"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
