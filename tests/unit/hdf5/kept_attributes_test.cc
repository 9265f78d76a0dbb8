#include "formats/containers/hdf5/kept_attributes.h"

#include <boost/test/unit_test.hpp>
#include <utility>

using namespace plainfs;
using namespace plainfs::hdf5;

namespace {

Attributes one(Json value) {
  return {{"a", std::move(value)}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hdf5_kept_attributes)

BOOST_AUTO_TEST_CASE(small_attributes_are_kept_by_object) {
  KeptAttributes kept;
  BOOST_TEST(!kept.find(0));
  kept.keep(96, one("text"));
  kept.keep(97, {});
  BOOST_TEST(*kept.find(96)->at(0).value().text() == "text");
  BOOST_TEST(kept.find(97)->empty());
  BOOST_TEST(!kept.find(98));
  for (uint64_t object = 100; object < 1000; ++object) kept.keep(object, one(nullptr));
  BOOST_TEST(!kept.find(96));
}

BOOST_AUTO_TEST_CASE(large_and_failed_attributes_are_not_kept) {
  KeptAttributes kept;
  kept.keep(1, one(std::string(1000, 'x')));
  kept.keep(1, one(Json::List(1000)));
  Json::List nested;
  nested.emplace_back(Json::List{});
  kept.keep(1, one(std::move(nested)));
  kept.keep(1, one(Json::Object{}));
  kept.keep(1, Attributes(1000));
  kept.keep(1, {{"a", unreadable("a disk")}});
  kept.keep(1, {{"a", [] { return Json(true); }, nullptr}});
  BOOST_TEST(!kept.find(1));
  kept.keep(1, one(Json::List{true, "b"}));
  BOOST_TEST(kept.find(1));
}

BOOST_AUTO_TEST_SUITE_END()
