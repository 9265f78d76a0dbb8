#include "formats/core/remote/remote_sources.h"

#include <boost/test/unit_test.hpp>
#include <mutex>

#include "formats/core/base/error.h"
#include "formats/core/base/key_store.h"
#include "formats/core/text/ascii.h"
#include "tests/support/answering_server.h"

using namespace plainfs;
using namespace plainfs::remote;

namespace {

// A server of text objects, and a store on it.
struct Fixture {
  std::map<std::string, std::string> objects;  // by path
  std::function<void(const std::string& path)> before_reply = [](const std::string&) {};
  std::string etag = "\"v1\"";
  std::mutex mutex;
  std::vector<std::string> asked;  // "PATH FIRST-LAST"; guarded by mutex
  AnsweringServer server{[this](const std::string& request) { return answer(request); }};
  RemoteCounters counters;
  ByteCache cache{256 << 20};
  std::unique_ptr<Sources> sources;

  std::string answer(const std::string& request) {
    const std::string path = request.substr(4, request.find(' ', 4) - 4);
    const size_t at = request.find("bytes=") + 6;
    {
      const std::lock_guard lock(mutex);
      asked.push_back(path + " " + request.substr(at, request.find('\r', at) - at));
    }
    const std::string tag = etag;
    before_reply(path);
    const auto found = objects.find(path);
    if (found == objects.end()) return AnsweringServer::reply("404 Not Found", "", "");
    const std::string& content = found->second;
    const size_t first = std::stoul(request.substr(at));
    const size_t last = std::stoul(request.substr(request.find('-', at) + 1));
    const size_t end = std::min(content.size(), last + 1);
    return AnsweringServer::reply(
        "206 Partial Content",
        fmt::format("ETag: {}\r\nContent-Range: bytes {}-{}/{}\r\n", tag, first, end - 1, content.size()),
        content.substr(first, end - first));
  }

  std::string open(const std::string& name) {
    sources = open_sources(server.url + "/" + name, {}, cache, counters, nullptr);
    return server.url + "/" + name;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(remote_sources, Fixture)

BOOST_AUTO_TEST_CASE(consolidated_zarr_takes_one_request) {
  objects["/x.zarr/.zmetadata"] = "{\"metadata\": {}}";
  const std::string store = open("x.zarr");
  BOOST_TEST((sources->kind_of(store) == EntryKind::folder));
  for (const char* const name : {"zarr.json", ".zarray", "OBJECT", "version"})
    BOOST_TEST(!sources->open_if_exists(store + "/" + name));
  BOOST_TEST(sources->open_if_exists(store + "/.zmetadata")->size() == 16u);
  BOOST_TEST(asked.size() == 1u);
}

BOOST_AUTO_TEST_CASE(other_zarr_is_looked_for_as_any_folder) {
  objects["/x.zarr/zarr.json"] = "{}";
  const std::string store = open("x.zarr");
  BOOST_TEST((sources->kind_of(store) == EntryKind::folder));
  BOOST_TEST(!!sources->open_if_exists(store + "/zarr.json"));
  BOOST_TEST(std::count_if(asked.begin(), asked.end(), [](const std::string& request) {
               return request.starts_with("/x.zarr/.zmetadata ");
             }) == 1);
}

BOOST_AUTO_TEST_CASE(file_named_as_a_zarr_is_a_file) {
  objects["/x.zarr"] = "PK";
  const std::string store = open("x.zarr");
  BOOST_TEST((sources->kind_of(store) == EntryKind::file));
}

BOOST_AUTO_TEST_CASE(announced_sizes_are_requested_whole) {
  objects["/x.zarr/.zmetadata"] = "{\"metadata\": {}}";
  objects["/x.zarr/a/c/0/1"] = std::string(700'000, 'a');
  objects["/x.zarr/b/0.1"] = std::string(100, 'b');
  const std::string store = open("x.zarr");
  sources->expect_sizes(store + "/a", 800'000);
  sources->expect_sizes(store + "/b", uint64_t{1} << 40);
  BOOST_TEST(sources->open_if_exists(store + "/a/c/0/1")->read_at(0, 700'000).size() == 700'000u);
  BOOST_TEST(sources->open_if_exists(store + "/b/0.1")->read_at(0, 100).size() == 100u);
  BOOST_TEST(asked == (std::vector<std::string>{"/x.zarr/a/c/0/1 0-799999", "/x.zarr/b/0.1 0-8388607"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(reply_of_before_a_reopening_is_not_kept) {
  objects["/x/zarr.json"] = "{}";
  const std::string store = open("x");
  before_reply = [this](const std::string&) {
    etag = "\"v2\"";
    sources->clear();
    before_reply = [](const std::string&) {};
  };
  BOOST_CHECK_EXCEPTION(sources->open_if_exists(store + "/zarr.json"), Error,
                        [](const Error& error) { return error.code() == Errc::changed; });
  BOOST_TEST(sources->open_if_exists(store + "/zarr.json")->size() == 2u);
  before_reply = [this](const std::string&) {
    sources->clear();
    before_reply = [](const std::string&) {};
  };
  BOOST_CHECK_THROW(sources->open_if_exists(store + "/.zattrs"), Error);
  objects["/x/.zattrs"] = "{}";
  BOOST_TEST(!!sources->open_if_exists(store + "/.zattrs"));
}

BOOST_AUTO_TEST_CASE(small_store_takes_two_requests) {
  std::string content(3 << 20, '\0');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7 + i / 256);
  objects["/x.h5"] = content;
  const std::string store = open("x.h5");
  const FilePtr file = sources->open(store);
  for (const uint64_t offset : {uint64_t{3 << 20} - 100, uint64_t{1 << 20}, uint64_t{0}, uint64_t{2 << 20}})
    BOOST_TEST(as_text(file->read_at(offset, 100)) == content.substr(offset, 100));
  BOOST_TEST(asked == (std::vector<std::string>{"/x.h5 0-262143", "/x.h5 262144-3145727"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(scattered_metadata_are_fetched_with_their_surroundings) {
  objects["/x.h5"] = std::string(40 << 20, 'x');
  const std::string store = open("x.h5");
  const FilePtr file = sources->open(store);
  for (const uint64_t megabytes : {10, 20, 30})
    for (const uint64_t offset : {1000, 200'000, 100'000}) file->read_at((megabytes << 20) + offset, 100);
  BOOST_TEST(asked.size() == 4u);
  // Announced data are fetched as they are.
  const ByteRange data{uint64_t{35} << 20, 100};
  file->will_read({&data, 1});
  file->read_at(data.offset, data.size);
  BOOST_TEST(asked.back() == "/x.h5 36700160-36765695");
}

BOOST_AUTO_TEST_SUITE_END()
