#include "fs/command_line/options.h"

#include <boost/test/unit_test.hpp>

#include "fs/command_line/exit_code.h"

namespace plainfs {
namespace {

Options parse(const std::vector<std::string>& arguments) {
  return parse_options(arguments);
}

void check_refused(const std::vector<std::string>& arguments, std::string_view why) {
  BOOST_CHECK_EXCEPTION(parse(arguments), Failure, [&](const Failure& failure) {
    return failure.code() == kUsage && std::string_view(failure.what()).find(why) != std::string_view::npos;
  });
}

BOOST_AUTO_TEST_SUITE(options)

BOOST_AUTO_TEST_CASE(store_and_mountpoint_are_the_arguments) {
  const Options options = parse({"-f", "store.h5", "-o", "ro", "/mnt"});
  BOOST_TEST(options.store == "store.h5");
  BOOST_TEST(options.mountpoint == "/mnt");
  BOOST_TEST(options.foreground);
  check_refused({"a", "b", "c"}, "c");
}

BOOST_AUTO_TEST_CASE(sizes_take_a_unit) {
  BOOST_TEST(parse({"-o", "cache_size=512m"}).cache_bytes == uint64_t{512} << 20);
  BOOST_TEST(parse({"-o", "cache_size=2G"}).cache_bytes == uint64_t{2} << 30);
  BOOST_TEST(parse({"-o", "cache_size=1000"}).cache_bytes == 1000U);
  BOOST_TEST(parse({"-o", "cache_size=64MB"}).cache_bytes == uint64_t{64} << 20);
  BOOST_TEST(parse({"-o", "cache_size=1GiB"}).cache_bytes == uint64_t{1} << 30);
  for (const std::string wrong : {"", "m", "-1", "5x", "1.5g", "99999999999t"})
    check_refused({"-o", "cache_size=" + wrong}, "cache_size");
}

BOOST_AUTO_TEST_CASE(long_options_match_o_options) {
  BOOST_TEST(parse({"--cache-size=1k"}).cache_bytes == 1024U);
  BOOST_TEST(parse({"--cache_size", "1k"}).cache_bytes == 1024U);
  BOOST_TEST(parse({"--foreground"}).foreground);
  BOOST_TEST(parse({"-o", "foreground"}).foreground);
  BOOST_TEST(parse({"--allow-other"}).mount_options == std::vector<std::string>{"allow_other"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(letters_may_be_joined) {
  const Options options = parse({"-fdocache_size=1k", "s"});
  BOOST_TEST(options.foreground);
  BOOST_TEST(options.debug);
  BOOST_TEST(options.cache_bytes == 1024U);
  BOOST_TEST(options.store == "s");
}

BOOST_AUTO_TEST_CASE(list_of_views_may_contain_commas) {
  BOOST_TEST(parse({"-o", "views=csv,npy,ro"}).views == "csv,npy");
  BOOST_TEST(parse({"-o", "views=csv+npy,uid=3"}).views == "csv+npy");
  BOOST_TEST(parse({"--views", "mtx,tsv"}).views == "mtx,tsv");
}

BOOST_AUTO_TEST_CASE(only_allow_other_is_for_others) {
  BOOST_TEST(is_for_others(parse({"-o", "uid=3,allow_other"})));
  BOOST_TEST(!is_for_others(parse({"-o", "allow_root"})));
  BOOST_TEST(parse({"-o", "follow_outside"}).read.follow_outside);
  BOOST_TEST(!parse({"s"}).read.follow_outside);
}

BOOST_AUTO_TEST_CASE(the_query_of_a_url_is_kept_apart) {
  const Options options = parse({"https://host/x.h5?sig=a?b#part", "m"});
  BOOST_TEST(options.store == "https://host/x.h5");
  BOOST_TEST(options.names[0] == "https://host/x.h5");
  BOOST_TEST(options.read.remote.query == "sig=a?b");
  BOOST_TEST(parse({"s3://bucket/a?b#c/"}).store == "s3://bucket/a?b#c");
  BOOST_TEST(parse({"a?b"}).store == "a?b");
}

BOOST_AUTO_TEST_CASE(options_of_remote_stores_are_shown_in_info) {
  const Options options = parse({"-o", "no_sign,endpoint=http://x,region=lab,index=/x", "s3://b/k"});
  BOOST_TEST(options.read.remote.no_sign);
  BOOST_TEST(to_json_text(describe(options)) ==
             R"({"cache_size":268435456,"index":"/x","no_sign":true,"endpoint":"http://x","region":"lab"})");
  const Options cached = parse({"-o", "remote_cache=/y:1m,index=/x", "s3://b/k"});
  BOOST_TEST(cached.read.remote.cache_folder == "/y");
  BOOST_TEST(to_json_text(describe(cached)) ==
             R"({"cache_size":268435456,"index":"/x","remote_cache":"/y:1048576"})");
  BOOST_TEST(cached.read.remote.cache_bytes == 1U << 20);
  const Options named = parse({"-o", "remote_cache=/a:b/c", "s3://b/k"});
  BOOST_TEST(named.read.remote.cache_folder == "/a:b/c");
  check_refused({"-o", "remote_cache=/y:much"}, "not a number of bytes");
}

BOOST_AUTO_TEST_CASE(a_backslash_keeps_a_comma) {
  BOOST_TEST(parse({"-o", "log_file=/a\\,b"}).log_file == "/a,b");
}

BOOST_AUTO_TEST_CASE(unknown_options_are_named) {
  check_refused({"-o", "colour=blue"}, "colour");
  check_refused({"--colour"}, "colour");
  check_refused({"-x"}, "-x");
}

BOOST_AUTO_TEST_CASE(sandbox_takes_one_of_three_values) {
  check_refused({"-o", "sandbox"}, "requires a value");
  BOOST_TEST((parse({"-o", "sandbox=none"}).sandbox == Sandbox::kNone));
  BOOST_TEST((parse({"-o", "sandbox=required"}).sandbox == Sandbox::kRequired));
  BOOST_TEST((parse({"-o", "sandbox=auto"}).sandbox == Sandbox::kWherePossible));
}

BOOST_AUTO_TEST_CASE(options_with_wrong_values_are_refused) {
  check_refused({"-o", "timeout"}, "timeout");
  check_refused({"-o", "allow_other=1"}, "allow_other");
  check_refused({"-o"}, "-o");
  check_refused({"-o", "umask=9"}, "octal");
  check_refused({"-o", "missing=maybe"}, "missing");
  check_refused({"-o", "views="}, "requires a value");
  check_refused({"store", ""}, "empty");
}

BOOST_AUTO_TEST_CASE(owners_are_numbers_or_names) {
  BOOST_TEST(parse({"-o", "uid=12,gid=34"}).uid.value() == 12U);
  BOOST_TEST(parse({"-o", "uid=root"}).uid.value() == 0U);
  BOOST_TEST(parse({"-o", "gid=root"}).gid.value() == 0U);
  check_refused({"-o", "uid=no such user"}, "neither a number nor a user");
  check_refused({"-o", "gid=no such group"}, "neither a number nor a group");
}

BOOST_AUTO_TEST_CASE(options_of_mount_tables_are_accepted) {
  const Options options =
      parse({"s", "m", "-o", "rw,nofail,noauto,user,_netdev,x-systemd.automount,x-gvfs-hide=1,defaults"});
  BOOST_TEST(options.mount_options.empty());
}

BOOST_AUTO_TEST_CASE(mount_helper_accepts_its_own_letters) {
  const std::vector<std::string> arguments{"store", "/mnt",         "-s", "-n",      "-v",
                                           "-t",    "fuse.plainfs", "-o", "ro,uid=3"};
  const MountHelper helper = from_mount_helper(arguments);
  const Options options = parse(helper.arguments);
  BOOST_TEST(!helper.is_fake);
  BOOST_TEST(options.mountpoint == "/mnt");
  BOOST_TEST(options.uid.value() == 3U);
  const std::vector<std::string> fake{"store", "/mnt", "-fv", "-o", "ro"};
  BOOST_TEST(from_mount_helper(fake).is_fake);
  BOOST_TEST(!parse(from_mount_helper(fake).arguments).foreground);
}

BOOST_AUTO_TEST_CASE(help_names_every_option) {
  const std::string help = help_text();
  for (const std::string name :
       {"cache_size", "threads", "views", "subdir", "timeout", "log_level", "log_file", "missing",
        "allow_other", "fsname", "umask", "attr_timeout", "auto_unmount"}) {
    BOOST_TEST(help.find("-o " + name) != std::string::npos, name);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
