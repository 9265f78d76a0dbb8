#include "fs/index/store_index.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <functional>
#include <map>
#include <thread>
#include <utility>

#include "cache/request.h"
#include "formats/core/base/error.h"
#include "tests/support/bytes_file.h"
#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"

namespace plainfs {
namespace {

// Sources with stamps chosen by the test.
class ReportedSources : public Sources {
 public:
  FilePtr open_if_exists(const std::string&) override { return nullptr; }
  KeyStorePtr open_folder(const std::string&) override { return nullptr; }
  EntryKind kind_of(const std::string&) override { return EntryKind::nothing; }
  FilePtr look_into(const std::string& location) override {
    ++looks_beside;
    const auto found = beside.find(location);
    return found == beside.end() ? nullptr : std::make_shared<BytesFile>(found->second);
  }
  const Containment& bounds() const override { return bounds_; }
  void clear() override {}
  std::optional<std::vector<SourceStamp>> stamps() override {
    if (is_changing) return std::nullopt;
    std::vector<SourceStamp> stamps;
    for (const auto& [name, stamp] : now) stamps.push_back({name, stamp});
    return stamps;
  }
  std::optional<std::string> stamp(const std::string& name) override {
    if (const auto asked = std::exchange(when_asked, nullptr)) asked();
    const auto found = now.find(name);
    return found == now.end() ? std::nullopt : std::optional(found->second);
  }

  std::map<std::string, std::string> now{{"/s", "1"}};
  std::map<std::string, std::string> beside;
  int looks_beside = 0;
  bool is_changing = false;
  std::function<void()> when_asked;  // once

 private:
  Containment bounds_;
};

MeasuredPtr found(uint64_t number) {
  return std::make_shared<const Measured>(Measured{"x 1", {number}});
}

struct Sessions {
  TemporaryDirectory directory;
  IndexFolderPtr folder = std::make_shared<const IndexFolder>(directory.path("index"));
  ReportedSources sources;
  std::vector<std::string> reported;

  StoreIndex open(const std::string& options = "") {
    return StoreIndex(folder, "/s", options, sources,
                      [this](const std::string& line) { reported.push_back(line); });
  }
  // Opens the index of another user, for a store that may be remote.
  StoreIndex open_of_another(const std::string& store = "/s", const std::string& options = "") {
    return StoreIndex(
        std::make_shared<const IndexFolder>(directory.path("another")), store, options, sources,
        [this](const std::string& line) { reported.push_back(line); }, true);
  }
  uint64_t known_to_another(const std::string& path, const std::string& options = "") {
    const MeasuredPtr measured = open_of_another("/s", options).measured(path);
    return measured ? measured->numbers.at(0) : 0;
  }
  // Returns the size that a new session knows for the file; 0: none.
  uint64_t known(const std::string& path, const std::string& options = "") {
    const MeasuredPtr measured = open(options).measured(path);
    return measured ? measured->numbers.at(0) : 0;
  }
  void keep(const std::string& path, uint64_t number) {
    StoreIndex index = open();
    index.add(path, found(number));
    index.save(true);
  }
  std::string file() const { return boost::filesystem::directory_iterator(folder->path())->path().string(); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(store_index, Sessions)

BOOST_AUTO_TEST_CASE(results_of_a_session_reach_the_next) {
  BOOST_TEST(known("a.csv") == 0u);
  keep("a.csv", 5);
  BOOST_TEST(known("a.csv") == 5u);
  BOOST_TEST(known("b.csv") == 0u);
  BOOST_TEST(known("a.csv", "header") == 0u);
  BOOST_TEST(reported.empty());
}

BOOST_AUTO_TEST_CASE(sessions_add_to_each_other) {
  StoreIndex first = open(), second = open();
  first.add("a.csv", found(1));
  second.add("b.csv", found(2));
  sources.now["/s/other"] = "7";
  first.save(true);
  second.save(true);
  BOOST_TEST(known("a.csv") == 1u);
  BOOST_TEST(known("b.csv") == 2u);
  first.add("a.csv", found(3));
  first.save(true);
  BOOST_TEST(known("a.csv") == 3u);
  BOOST_TEST(known("b.csv") == 2u);
}

BOOST_AUTO_TEST_CASE(parts_of_several_sessions_are_joined) {
  const auto part = [](uint64_t block) {
    return std::make_shared<const Measured>(Measured{"x 1 in part", {0, 20, block, 1, 100 + block}});
  };
  std::vector<std::thread> machines;
  for (uint64_t block = 0; block < 20; ++block)
    machines.emplace_back([this, &part, block] {
      StoreIndex index = open();
      index.add("a.csv", part(block));
      index.save(true);
    });
  for (std::thread& machine : machines) machine.join();
  std::vector<uint64_t> all{0, 20, 0, 20};
  for (uint64_t block = 0; block < 20; ++block) all.push_back(100 + block);
  BOOST_TEST(open().measured("a.csv")->numbers == all, boost::test_tools::per_element());
  keep("a.csv", 9);
  keep("a.csv", 9);
  StoreIndex late = open();
  late.add("a.csv", part(1));
  late.save(true);
  BOOST_TEST(known("a.csv") == 9u);
}

BOOST_AUTO_TEST_CASE(changed_source_discards_the_index) {
  sources.now["/s/other"] = "7";
  keep("a.csv", 5);
  sources.now["/s"] = "2";
  BOOST_TEST(known("a.csv") == 0u);
  keep("b.csv", 6);
  BOOST_TEST(known("b.csv") == 6u);
  BOOST_TEST(known("a.csv") == 0u);
  sources.now.erase("/s/other");
  BOOST_TEST(known("b.csv") == 0u);
}

BOOST_AUTO_TEST_CASE(changing_or_empty_store_has_no_index) {
  StoreIndex index = open();
  index.add("a.csv", found(1));
  sources.is_changing = true;
  BOOST_CHECK_EXCEPTION(index.save(true), Error, mentions("written to"));
  sources.is_changing = false;
  sources.now.clear();
  BOOST_CHECK_EXCEPTION(index.save(true), Error, mentions("written to"));
  BOOST_TEST(!boost::filesystem::exists(folder->path()));
}

BOOST_AUTO_TEST_CASE(cheap_results_are_kept_only_on_request) {
  StoreIndex index = open();
  index.add("a.csv", found(1));
  index.count(std::chrono::milliseconds(1));
  BOOST_TEST(!index.is_due());
  index.save(false);
  BOOST_TEST(known("a.csv") == 0u);
  index.count(std::chrono::seconds(1));
  BOOST_TEST(index.is_due());
  index.save(false);
  BOOST_TEST(!index.is_due());
  BOOST_TEST(known("a.csv") == 1u);
}

BOOST_AUTO_TEST_CASE(unversioned_results_last_one_session) {
  StoreIndex index = open();
  index.add("a.csv", std::make_shared<const Measured>(Measured{"", {1}}));
  index.save(true);
  BOOST_TEST(!boost::filesystem::exists(folder->path()));
}

BOOST_AUTO_TEST_CASE(wrong_index_is_discarded) {
  keep("a.csv", 5);
  keep("b.csv", 6);
  StoreIndex index = open();
  index.add("c.csv", found(7));
  BOOST_TEST(!index.discard("d.csv"));
  BOOST_TEST(index.measured("b.csv") != nullptr);
  BOOST_TEST(index.discard("a.csv"));
  BOOST_TEST(!index.discard("a.csv"));
  for (const char* path : {"a.csv", "b.csv", "c.csv"}) BOOST_TEST(!index.measured(path));
  index.save(true);
  BOOST_TEST(known("b.csv") == 0u);
  index.add("a.csv", found(8));
  index.save(true);
  BOOST_TEST(known("a.csv") == 8u);
  BOOST_TEST(reported.empty());
}

BOOST_AUTO_TEST_CASE(index_beside_the_store_serves_all_users) {
  keep("a.csv", 5);
  sources.beside["/s.plainfs"] = as_text(open().to_lie_beside());
  BOOST_TEST(known_to_another("a.csv") == 5u);
  BOOST_TEST(known_to_another("b.csv") == 0u);
  BOOST_TEST(known_to_another("a.csv", "header") == 0u);
  BOOST_TEST(known("b.csv") == 0u);  // it must not look there
  StoreIndex index = open_of_another();
  index.measured("a.csv");
  sources.looks_beside = 0;
  index.add("b.csv", found(6));
  index.save(true);
  BOOST_TEST(index.measured("a.csv") != nullptr);
  BOOST_TEST(sources.looks_beside == 0);
  BOOST_TEST(known_to_another("a.csv") == 5u);
  BOOST_TEST(known_to_another("b.csv") == 6u);
  sources.beside["/elsewhere/s.plainfs"] = sources.beside["/s.plainfs"];
  sources.now["/elsewhere/s"] = "1";
  BOOST_TEST(open_of_another("/elsewhere/s").measured("a.csv") != nullptr);
  sources.now["/elsewhere/s"] = "2";
  BOOST_TEST(!open_of_another("/elsewhere/s").measured("a.csv"));
  BOOST_TEST(reported.empty());
}

BOOST_AUTO_TEST_CASE(wrong_index_beside_the_store_is_used_once) {
  keep("a.csv", 5);
  sources.beside["/s.plainfs"] = as_text(open().to_lie_beside());
  StoreIndex index = open_of_another();
  BOOST_TEST(index.measured("a.csv") != nullptr);
  BOOST_TEST(!index.discard("b.csv"));
  BOOST_TEST(index.discard("a.csv"));
  BOOST_TEST(!index.measured("a.csv"));
  BOOST_TEST(known_to_another("a.csv") == 0u);
  StoreIndex next = open_of_another();
  next.add("a.csv", found(7));
  next.save(true);
  BOOST_TEST(known_to_another("a.csv") == 7u);
  BOOST_TEST(next.discard("a.csv"));
  BOOST_TEST(known_to_another("a.csv") == 0u);
  sources.now["/s"] = "2";
  keep("a.csv", 9);
  sources.beside["/s.plainfs"] = as_text(open().to_lie_beside());
  BOOST_TEST(known_to_another("a.csv") == 9u);  // from another version of the store
}

BOOST_AUTO_TEST_CASE(damaged_index_beside_the_store_is_reported_and_ignored) {
  keep("a.csv", 5);
  std::string whole(as_text(open().to_lie_beside()));
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] ^= 1;
    sources.beside["/s.plainfs"] = damaged;
    reported.clear();
    BOOST_TEST(known_to_another("a.csv") == 0u);
    BOOST_REQUIRE(reported.size() == 1u);
    BOOST_TEST(reported[0].find("the index of sizes cannot be ") == 0u);
  }
}

BOOST_AUTO_TEST_CASE(only_a_single_file_store_has_an_index_beside_it) {
  BOOST_CHECK_EXCEPTION(open().to_lie_beside(), Error, mentions("no sizes of /s are known"));
  sources.now["/s/other"] = "7";
  keep("a.csv", 5);
  BOOST_CHECK_EXCEPTION(open().to_lie_beside(), Error, mentions("also read from /s/other"));
}

// A caller that needs no check of the store is served meanwhile, and a waiting caller can leave.
BOOST_AUTO_TEST_CASE(check_of_the_store_blocks_only_dependent_callers) {
  keep("a.csv", 5);
  StoreIndex index = open();
  struct Gone : Request {
    bool cancelled() const override { return true; }
  } gone;
  int looks = 0;
  sources.when_asked = [&] {
    ++looks;
    BOOST_TEST(!index.is_read());
    index.count(std::chrono::seconds(1));
    std::thread other([&] {
      const Request::Scope scope(&gone);
      BOOST_CHECK_THROW(index.measured("a.csv"), Cancelled);
    });
    other.join();
  };
  BOOST_TEST(index.measured("a.csv") != nullptr);
  BOOST_TEST(index.is_read());
  BOOST_TEST(looks == 1);
}

BOOST_AUTO_TEST_CASE(unwritable_index_is_reported_and_skipped) {
  std::ofstream(directory.path("index")) << "a file where the folder should be";
  StoreIndex index = open();
  index.add("a.csv", found(1));
  index.count(std::chrono::seconds(1));
  index.save(false);
  BOOST_REQUIRE(!reported.empty());
  BOOST_TEST(reported.back().find("cannot be written: " + folder->path()) != std::string::npos);
  BOOST_TEST(index.measured("a.csv") != nullptr);
  BOOST_CHECK_EXCEPTION(index.save(true), Error, mentions("cannot be written"));
}

BOOST_AUTO_TEST_CASE(damaged_index_is_reported_and_rewritten) {
  keep("a.csv", 5);
  std::ofstream(file(), std::ios::app | std::ios::binary).put('x');
  boost::filesystem::resize_file(file(), 20);
  BOOST_TEST(known("a.csv") == 0u);
  BOOST_TEST(reported.at(0).find("cannot be read") != std::string::npos);
  keep("b.csv", 6);
  BOOST_TEST(known("b.csv") == 6u);
}

BOOST_AUTO_TEST_CASE(damaged_entry_fails_alone) {
  keep("a.csv", 5);
  keep("b.csv", 6);
  const auto size = boost::filesystem::file_size(file());
  std::fstream stream(file(), std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(size - 1));
  stream.put('\xff');
  stream.close();
  BOOST_TEST(known("a.csv") == 5u);
  BOOST_TEST(known("b.csv") == 0u);
  BOOST_TEST(reported.at(0).find("b.csv") != std::string::npos);
  keep("b.csv", 7);
  BOOST_TEST(known("b.csv") == 7u);
  BOOST_TEST(known("a.csv") == 5u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
