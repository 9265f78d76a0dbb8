#include "fs/commands/plan/replace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "fs/command_line/exit_code.h"
#include "fs/commands/plan/export_plan.h"

namespace plainfs {
namespace {

namespace files = boost::filesystem;

class Folder {
 public:
  Folder() {
    files::create_directory(path_);
    std::ofstream(at("victim")) << "precious";
  }
  ~Folder() { files::remove_all(path_); }

  std::string at(const std::string& name) const { return (path_ / name).string(); }
  std::string text(const std::string& name) const {
    std::ifstream file(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Descriptor open() const { return Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }
  size_t count() const {
    return static_cast<size_t>(std::distance(files::directory_iterator(path_), files::directory_iterator()));
  }

 private:
  const files::path path_ = files::temp_directory_path() / files::unique_path("plainfs-test-%%%%%%%%");
};

BOOST_AUTO_TEST_SUITE(replacing_a_file)

BOOST_AUTO_TEST_CASE(file_is_created_and_replaced) {
  const Folder folder;
  BOOST_CHECK(replace_file(folder.open(), "a", "one"));
  BOOST_CHECK_EQUAL(folder.text("a"), "one");
  BOOST_CHECK(replace_file(folder.open(), "a", ""));
  BOOST_CHECK_EQUAL(folder.text("a"), "");
  BOOST_CHECK(replace_file(folder.open(), std::string(255, 'n'), "long"));
  BOOST_CHECK_EQUAL(folder.count(), 3u);
}

BOOST_AUTO_TEST_CASE(no_link_is_written_through) {
  for (const bool is_symbolic : {true, false}) {
    const Folder folder;
    const std::string guessed = folder.at(unfinished_name("a"));
    if (is_symbolic)
      files::create_symlink("victim", guessed);
    else
      files::create_hard_link(folder.at("victim"), guessed);
    BOOST_CHECK(replace_file(folder.open(), "a", "new"));
    BOOST_CHECK_EQUAL(folder.text("victim"), "precious");
    BOOST_CHECK_EQUAL(folder.text("a"), "new");
    BOOST_CHECK(!files::is_symlink(folder.at("a")));
    BOOST_CHECK_EQUAL(files::hard_link_count(folder.at("a")), 1u);
    BOOST_CHECK_EQUAL(folder.count(), 2u);
  }
}

BOOST_AUTO_TEST_CASE(a_link_of_its_name_is_replaced) {
  const Folder folder;
  files::create_symlink("victim", folder.at("a"));
  BOOST_CHECK(replace_file(folder.open(), "a", "new"));
  BOOST_CHECK_EQUAL(folder.text("victim"), "precious");
  BOOST_CHECK(!files::is_symlink(folder.at("a")));
}

BOOST_AUTO_TEST_CASE(failed_replacement_leaves_nothing) {
  const Folder folder;
  files::create_directory(folder.at("a"));
  BOOST_CHECK(!replace_file(folder.open(), "a", "new"));
  BOOST_CHECK_EQUAL(errno, EISDIR);
  BOOST_CHECK_EQUAL(folder.count(), 2u);
}

BOOST_AUTO_TEST_CASE(a_plan_is_not_written_through_a_link) {
  const Folder folder;
  for (const std::string& guessed :
       {unfinished_name("plan"), "plan." + std::to_string(::getpid()) + ".plainfs-part"})
    files::create_symlink("victim", folder.at(guessed));
  ExportPlan plan;
  plan.store = "/store";
  plan.tasks.resize(1);
  write_plan(plan, folder.at("plan"));
  BOOST_CHECK_EQUAL(folder.text("victim"), "precious");
  BOOST_CHECK(files::is_regular_file(files::symlink_status(folder.at("plan"))));
  BOOST_CHECK_EQUAL(read_plan(folder.at("plan")).store, "/store");
}

BOOST_AUTO_TEST_CASE(unwritable_plan_is_reported) {
  const Folder folder;
  BOOST_CHECK_EXCEPTION(write_plan({}, folder.at("no/plan")), Failure, [](const Failure& failure) {
    return failure.code() == kNotWritten &&
           std::string_view(failure.what()).ends_with("no/plan: No such file or directory");
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
