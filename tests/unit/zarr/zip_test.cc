// Zip stores: the entries that count, and that no offset or size in the archive is trusted.
#include <libdeflate.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"
#include "tests/support/probe.h"
#include "tests/unit/zarr/store_writer.h"

namespace {

using namespace plainfs;
using namespace plainfs::zarr;
using Ints = std::vector<int32_t>;

constexpr const char* kArray =
    R"({"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<i4","compressor":null,"filters":null,"order":"C","fill_value":0})";
constexpr const char* kGroup = R"({"zarr_format":2})";

// An archive in memory with uncompressed members.
class ZipWriter {
 public:
  struct Entry {
    std::string name;
    std::string value;
    uint16_t method = 0;
    uint16_t flags = 0;
    uint32_t crc_difference = 0;
    int64_t size_difference = 0;  // of both sizes in the directory
    int64_t offset_difference = 0;
    bool zip64 = false;
  };

  void add(Entry entry) {
    offsets_.push_back(file_.size());
    number<uint32_t>(0x04034b50);
    file_.append(10, '\0');
    number<uint32_t>(0);
    number<uint32_t>(static_cast<uint32_t>(entry.value.size()));
    number<uint32_t>(static_cast<uint32_t>(entry.value.size()));
    number<uint16_t>(static_cast<uint16_t>(entry.name.size()));
    number<uint16_t>(3);  // an extra field that the directory lacks
    file_ += entry.name + "xyz" + entry.value;
    entries_.push_back(std::move(entry));
  }
  void add(const std::string& name, const std::string& value) { add(Entry{name, value}); }

  std::string finish(const std::string& comment = "", const std::string& in_front = "", bool zip64 = false) {
    const uint64_t start = file_.size();
    for (size_t i = 0; i < entries_.size(); ++i) entry(entries_[i], offsets_[i]);
    const uint64_t size = file_.size() - start;
    if (zip64) zip64_end(start, size);
    number<uint32_t>(0x06054b50);
    file_.append(8, '\0');
    number<uint32_t>(zip64 ? 0xffffffff : static_cast<uint32_t>(size));
    number<uint32_t>(zip64 ? 0xffffffff : static_cast<uint32_t>(start));
    number<uint16_t>(static_cast<uint16_t>(comment.size()));
    return in_front + file_ + comment;
  }

 private:
  template <class T>
  void number(T value) {
    file_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void entry(const Entry& each, uint64_t offset) {
    const uint32_t crc = libdeflate_crc32(0, each.value.data(), each.value.size()) + each.crc_difference;
    const uint64_t size = each.value.size() + static_cast<uint64_t>(each.size_difference);
    offset += static_cast<uint64_t>(each.offset_difference);
    number<uint32_t>(0x02014b50);
    number<uint32_t>(0);
    number<uint16_t>(each.flags);
    number<uint16_t>(each.method);
    number<uint32_t>(0);
    number<uint32_t>(crc);
    number<uint32_t>(each.zip64 ? 0xffffffff : static_cast<uint32_t>(size));
    number<uint32_t>(each.zip64 ? 0xffffffff : static_cast<uint32_t>(size));
    number<uint16_t>(static_cast<uint16_t>(each.name.size()));
    number<uint16_t>(each.zip64 ? 28 : 0);
    file_.append(10, '\0');
    number<uint32_t>(each.zip64 ? 0xffffffff : static_cast<uint32_t>(offset));
    file_ += each.name;
    if (!each.zip64) return;
    number<uint16_t>(1);
    number<uint16_t>(24);
    for (const uint64_t value : {size, size, offset}) number(value);
  }
  void zip64_end(uint64_t start, uint64_t size) {
    const uint64_t position = file_.size();
    number<uint32_t>(0x06064b50);
    number<uint64_t>(44);
    file_.append(28, '\0');
    number(size);
    number(start);
    number<uint32_t>(0x07064b50);
    number<uint32_t>(0);
    number(position);
    number<uint32_t>(1);
  }

  std::string file_;
  std::vector<Entry> entries_;
  std::vector<uint64_t> offsets_;
};

std::string bytes_of(const Ints& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(int32_t)};
}

// A file opened as a store.
struct ZipFixture {
  std::string write(const std::string& content) {
    const std::string path = directory.path("a.zarr.zip");
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  Store open(const std::string& content) { return zarr::open(look_at(write(content)), context); }
  // Returns the values of array "a".
  Ints values(const std::string& content) { return values_in<int32_t>(open(content), "a"); }

  TemporaryDirectory directory;
  TestContext context;
};

ZipWriter valid(const std::string& folder = "") {
  ZipWriter zip;
  zip.add(folder + ".zgroup", kGroup);
  zip.add(folder + "a/.zarray", kArray);
  zip.add(folder + "a/0", bytes_of({1, 2}));
  return zip;
}

BOOST_FIXTURE_TEST_SUITE(zip, ZipFixture)

BOOST_AUTO_TEST_CASE(stored_members_are_read_in_place) {
  BOOST_TEST(values(valid().finish()) == (Ints{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(recognises(look_at(directory.path("a.zarr.zip"))));
}

BOOST_AUTO_TEST_CASE(comment_zip64_and_bytes_in_front_are_accepted) {
  BOOST_TEST(values(valid().finish("PK\5\6 is no second end")) == (Ints{1, 2}),
             boost::test_tools::per_element());
  ZipFixture second;
  BOOST_TEST(second.values(valid().finish("", "bytes in front")) == (Ints{1, 2}),
             boost::test_tools::per_element());
  ZipFixture third;
  ZipWriter zip = valid();
  zip.add({.name = "b/.zarray", .value = kArray, .zip64 = true});
  zip.add({.name = "b/0", .value = bytes_of({3, 4}), .zip64 = true});
  const Store store = third.open(zip.finish("", "xx", true));
  BOOST_TEST(values_in<int32_t>(store, "b") == (Ints{3, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(last_entry_of_a_name_counts) {
  ZipWriter zip = valid();
  zip.add("a/0", bytes_of({5, 6}));
  zip.add("a/0", bytes_of({7, 8}));
  BOOST_TEST(values(zip.finish()) == (Ints{7, 8}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(one_enclosing_folder_is_entered) {
  BOOST_TEST(values(valid("x.zarr/").finish()) == (Ints{1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(enclosing_folders_are_entered_despite_macos_files) {
  ZipWriter zip = valid("outer/x.zarr/");
  zip.add("__MACOSX/outer/x.zarr/._a", "");
  zip.add(".DS_Store", "");
  zip.add("outer/.DS_Store", "");
  zip.add("outer/._x.zarr", "");
  BOOST_TEST(values(zip.finish()) == (Ints{1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(backslashes_separate_folders_without_slashes) {
  ZipWriter zip;
  zip.add("x.zarr\\.zgroup", kGroup);
  zip.add("x.zarr\\a\\.zarray", kArray);
  zip.add("x.zarr\\a\\0", bytes_of({1, 2}));
  BOOST_TEST(values(zip.finish()) == (Ints{1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(archive_of_several_things_is_a_folder_of_them) {
  ZipWriter zip = valid("one.zarr/");
  zip.add("two.zarr/zarr.json", R"({"zarr_format":3,"node_type":"group","attributes":{"two":2}})");
  zip.add("README.md", "read me");
  zip.add("__MACOSX/one.zarr/._a", "");
  const std::string content = zip.finish();
  BOOST_TEST(recognises(look_at(write(content))));
  const Store store = open(content);
  BOOST_TEST(names_of(*store.root.parts) == (std::vector<std::string>{"README.md", "one.zarr", "two.zarr"}),
             boost::test_tools::per_element());
  BOOST_TEST(as_text(std::get<PlainFile>(member(store, "README.md").content).open()->read_all()) ==
             "read me");
  BOOST_TEST(read_all(*find_array(*member(store, "one.zarr").parts, "a")).values<int32_t>()[1] == 2);
  BOOST_TEST(attributes_of(member(store, "two.zarr")).at(0).name == "two");
}

BOOST_AUTO_TEST_CASE(folders_of_a_deep_hierarchy_are_found_once) {
  ZipWriter zip = valid();
  zip.add("a-b/.zgroup", kGroup);
  zip.add("a-b/c/.zgroup", kGroup);
  zip.add("a0/.zgroup", kGroup);
  zip.add("implicit/b/.zarray", kArray);
  const Store store = open(zip.finish());
  BOOST_TEST(names_of(*store.root.parts) == (std::vector<std::string>{"a", "a-b", "a0", "implicit"}),
             boost::test_tools::per_element());
  BOOST_TEST(names_of(*member(store, "implicit").parts) == std::vector<std::string>{"b"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(folder_under_a_chunk_key_is_not_absent) {
  ZipWriter zip;
  zip.add(".zgroup", kGroup);
  zip.add("a/.zarray", kArray);
  zip.add("a/0/x", "");
  BOOST_TEST(holds(error_of(open(zip.finish()), "a"), "folder"));
}

BOOST_AUTO_TEST_CASE(wrong_crc_is_damage) {
  ZipWriter zip = valid();
  zip.add({.name = "a/0", .value = bytes_of({5, 6}), .crc_difference = 1});
  BOOST_TEST(holds(error_of(open(zip.finish()), "a"), "CRC-32"));
}

BOOST_AUTO_TEST_CASE(parts_of_a_member_with_a_wrong_crc_are_damage) {
  const auto shard = [](uint32_t crc_difference) {
    ZipWriter zip;
    zip.add("zarr.json", R"({"zarr_format":3,"node_type":"group"})");
    zip.add(
        "a/zarr.json",
        R"({"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int32","chunk_grid":{"name":"regular",
            "configuration":{"chunk_shape":[4]}},"chunk_key_encoding":"default","fill_value":0,"codecs":[{"name":
            "sharding_indexed","configuration":{"chunk_shape":[2],"codecs":["bytes"],"index_codecs":["bytes"]}}]})");
    const Ints inner{1, 2, 3, 4, 0, 0,
                     8, 0, 8, 0, 8, 0};  // two chunks, then offset and size of each in 64 bits
    zip.add({.name = "a/c/0", .value = bytes_of(inner), .crc_difference = crc_difference});
    return zip.finish();
  };
  BOOST_TEST(values(shard(0)) == (Ints{1, 2, 3, 4}), boost::test_tools::per_element());
  ZipFixture other;
  BOOST_TEST(holds(error_of(other.open(shard(1)), "a"), "CRC-32"));
}

BOOST_AUTO_TEST_CASE(false_sizes_and_offsets_are_damage) {
  for (const auto& [size, offset] : {std::pair<int64_t, int64_t>{4, 0}, {1 << 30, 0}, {0, 1}, {0, 1 << 30}}) {
    ZipFixture fixture;
    ZipWriter zip = valid();
    zip.add({.name = "a/0", .value = bytes_of({5, 6}), .size_difference = size, .offset_difference = offset});
    BOOST_TEST(error_of(fixture.open(zip.finish()), "a").starts_with("EIO"));
  }
  ZipFixture fixture;
  ZipWriter zip = valid();
  zip.add({.name = "a/0", .value = bytes_of({5, 6}), .size_difference = -9, .zip64 = true});  // over 2^63
  BOOST_TEST(error_of(fixture.open(zip.finish()), "a").starts_with("EIO"));
}

BOOST_AUTO_TEST_CASE(unknown_methods_are_unsupported) {
  ZipWriter zip = valid();
  zip.add({.name = "a/0", .value = bytes_of({5, 6}), .method = 9});
  BOOST_TEST(error_of(open(zip.finish()), "a").starts_with("ENOTSUP"));
  ZipFixture fixture;
  ZipWriter encrypted = valid();
  encrypted.add({.name = "a/0", .value = bytes_of({5, 6}), .flags = 1});
  BOOST_TEST(holds(error_of(fixture.open(encrypted.finish()), "a"), "encrypted"));
}

BOOST_AUTO_TEST_CASE(garbage_in_a_deflated_member_is_damage) {
  ZipWriter zip = valid();
  zip.add({.name = "a/0", .value = bytes_of({-1, -1}), .method = 8});
  BOOST_TEST(error_of(open(zip.finish()), "a").starts_with("EIO"));
}

BOOST_AUTO_TEST_CASE(truncated_archive_does_not_open) {
  const std::string whole = valid().finish();
  for (size_t size = 4; size < whole.size(); size += 7) {
    ZipFixture fixture;
    BOOST_CHECK_EXCEPTION(fixture.open(whole.substr(0, size)), Error, mentions("zip file"));
  }
}

BOOST_AUTO_TEST_CASE(other_zip_files_are_not_recognised) {
  ZipWriter zip;
  zip.add("[Content_Types].xml", "");
  BOOST_TEST(!recognises(look_at(write(zip.finish()))));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
