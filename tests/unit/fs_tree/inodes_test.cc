#include "fs/tree/inodes.h"

#include <boost/test/unit_test.hpp>
#include <thread>

#include "formats/core/base/error.h"
#include "tests/support/mentions.h"

namespace plainfs {
namespace {

BOOST_AUTO_TEST_SUITE(inodes)

BOOST_AUTO_TEST_CASE(name_keeps_its_inode_while_it_is_held) {
  Inodes inodes;
  Inode held = 0;
  {
    const Inodes::Visit visit(inodes);
    const Inode folder = inodes.of(kRootInode, "folder", FileKind::directory);
    held = inodes.of(folder, "a.csv", FileKind::file);
    inodes.of(folder, "b.csv", FileKind::file);
    inodes.hold(held, 2);
  }
  BOOST_TEST(inodes.statistics().names == 3U);  // the root, the folder, a.csv
  BOOST_TEST(inodes.path(held) == "/folder/a.csv");
  inodes.release(held);
  {
    const Inodes::Visit visit(inodes);
    BOOST_TEST(inodes.of(inodes.parent(held), "a.csv", FileKind::file) == held);
  }
  inodes.release(held);
  BOOST_TEST(inodes.statistics().names == 1U);
  BOOST_TEST(!inodes.knows(held));
  BOOST_CHECK_EXCEPTION(inodes.name(held), Error, mentions("does not exist"));
}

BOOST_AUTO_TEST_CASE(released_name_has_no_known_parent) {
  Inodes inodes;
  Inode file = 0, part = 0;
  {
    const Inodes::Visit visit(inodes);
    file = inodes.of(kRootInode, "a", FileKind::file);
    part = inodes.part(kRootInode, 1, 5, 2);
    BOOST_TEST(inodes.known_parent(file).value() == kRootInode);
    BOOST_TEST(inodes.known_parent(part).value() == kRootInode);
  }
  BOOST_TEST(!inodes.known_parent(file));
  BOOST_TEST(!inodes.known_parent(part));
}

BOOST_AUTO_TEST_CASE(name_assigned_outside_of_a_visit_stays) {
  Inodes inodes;
  const Inode given = inodes.of(kRootInode, "a", FileKind::file);
  {
    const Inodes::Visit visit(inodes);
    inodes.of(kRootInode, "a", FileKind::file);
  }
  BOOST_TEST(inodes.knows(given));
}

BOOST_AUTO_TEST_CASE(visit_holds_the_inodes_given_to_its_thread) {
  Inodes inodes, others;
  const Inodes::Visit visit(inodes), of_others(others);
  Inode of_thread = 0;
  std::thread([&] {
    const Inodes::Visit own(inodes);
    of_thread = inodes.of(kRootInode, "a", FileKind::file);
  }).join();
  BOOST_TEST(!inodes.knows(of_thread));
  const Inode own = inodes.of(kRootInode, "b", FileKind::file);
  { const Inodes::Visit inner(others); }
  BOOST_TEST(inodes.knows(own));
}

BOOST_AUTO_TEST_CASE(name_of_another_kind_has_another_inode) {
  Inodes inodes;
  const Inode file = inodes.of(kRootInode, "a", FileKind::file);
  BOOST_TEST(inodes.of(kRootInode, "a", FileKind::directory) != file);
  BOOST_CHECK(inodes.kind(file) == FileKind::file);
}

BOOST_AUTO_TEST_CASE(parts_have_a_range_for_each_directory_and_owner) {
  Inodes inodes;
  const Inode folder = inodes.of(kRootInode, "genes", FileKind::directory);
  const uint64_t owner = inodes.new_owner(), other = inodes.new_owner();
  const Inodes::Visit visit(inodes);
  const Inode seventh = inodes.part(folder, owner, 1000, 7);
  BOOST_TEST(inodes.part(folder, owner, 1000, 8) == seventh + 1);
  BOOST_TEST(inodes.part(folder, other, 1000, 7) != seventh);
  const std::optional<ListedPart> part = inodes.listed_part(seventh);
  BOOST_REQUIRE(part.has_value());
  BOOST_TEST(part->directory == folder);
  BOOST_TEST(part->owner == owner);
  BOOST_TEST(part->place == 7U);
  BOOST_TEST(inodes.statistics().parts == 2000U);
  BOOST_TEST(inodes.statistics().names == 2U);
  BOOST_CHECK(inodes.kind(seventh) == FileKind::file);
  BOOST_TEST(inodes.path(seventh) == "/genes/#7");
}

BOOST_AUTO_TEST_CASE(range_of_parts_is_free_once_released) {
  Inodes inodes;
  const Inode folder = inodes.of(kRootInode, "genes", FileKind::directory);
  const uint64_t owner = inodes.new_owner();
  constexpr uint64_t kHalf = uint64_t{1} << 30;
  Inode held = 0;
  {
    const Inodes::Visit visit(inodes);
    held = inodes.part(folder, owner, kHalf, 3);
    inodes.hold(held);
    inodes.part(kRootInode, owner, kHalf, 0);
    BOOST_CHECK_EXCEPTION(inodes.part(folder, inodes.new_owner(), 10, 0), Error,
                          mentions("too many at once"));
  }
  BOOST_TEST(inodes.statistics().parts == kHalf);
  const Inodes::Visit visit(inodes);
  const Inode next = inodes.part(folder, inodes.new_owner(), kHalf, 5);  // at the place of the other range
  BOOST_TEST(next < uint64_t{1} << 32);
  BOOST_TEST(next != held);
  BOOST_TEST(inodes.listed_part(next)->place == 5U);
  inodes.release(held);
  BOOST_TEST(!inodes.knows(held));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
