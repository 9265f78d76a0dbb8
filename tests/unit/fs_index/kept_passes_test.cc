#include "fs/index/kept_passes.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <thread>

#include "formats/core/base/file_pool.h"
#include "formats/core/base/used_sources.h"
#include "tests/support/temporary_directory.h"

namespace plainfs {
namespace {

using std::chrono::seconds;

// A store of one file, not recently written, as seen by a session.
struct Session {
  explicit Session(const std::string& store) : used(pool, store) { used.open(store); }
  FilePool pool{4, nullptr};
  UsedSources used;
};

struct Stores {
  TemporaryDirectory directory;
  std::string store = directory.path("a.rds");
  std::vector<std::string> reported;
  KeptPasses passes{std::make_shared<const IndexFolder>(directory.path("index")),
                    [this](const std::string& line) { reported.push_back(line); }};

  explicit Stores(const std::string& content = "x") { write(content, 100); }
  void write(const std::string& content, time_t modified) {
    std::ofstream(store) << content;
    const timespec times[2] = {{modified, 0}, {modified, 0}};
    ::utimensat(AT_FDCWD, store.c_str(), times, 0);
    while (!Session(store).used.stamps()) std::this_thread::yield();  // recently written files have none
  }
};

BOOST_AUTO_TEST_SUITE(kept_passes)

BOOST_AUTO_TEST_CASE(kept_pass_is_found_by_its_name_in_another_session) {
  Stores stores;
  Session first(stores.store);
  stores.passes.keep(stores.store, "pass 1", {5, 7}, seconds(1), first.used);
  Session second(stores.store);
  const std::vector<uint64_t> numbers{5, 7};
  const auto known = stores.passes.known(stores.store, "pass 1", second.used);
  BOOST_REQUIRE(known);
  BOOST_TEST(*known == numbers, boost::test_tools::per_element());
  BOOST_TEST(!stores.passes.known(stores.store, "pass 2", second.used));
  stores.passes.discard(stores.store, second.used);
  BOOST_TEST(!stores.passes.known(stores.store, "pass 1", second.used));
  BOOST_TEST(stores.reported.empty());
}

BOOST_AUTO_TEST_CASE(pass_of_a_rewritten_file_is_not_used) {
  Stores stores;
  Session first(stores.store);
  stores.passes.keep(stores.store, "pass 1", {5}, seconds(1), first.used);
  stores.write("y", 200);
  Session second(stores.store);
  BOOST_TEST(!stores.passes.known(stores.store, "pass 1", second.used));
}

BOOST_AUTO_TEST_CASE(a_short_pass_is_not_worth_keeping) {
  Stores stores;
  Session first(stores.store);
  stores.passes.keep(stores.store, "pass 1", {5}, std::chrono::milliseconds(1), first.used);
  BOOST_TEST(!stores.passes.known(stores.store, "pass 1", first.used));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
