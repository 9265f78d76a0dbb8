#include "fs/tree/open_views.h"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

using namespace plainfs;

namespace {

// A view that has made a pass, or has received the measurements of another.
class PassedOver : public ViewFile {
 public:
  uint64_t size() override { return 1; }
  Slices read(uint64_t, size_t) override { return {}; }
  MeasuredPtr measured() const override { return measured_; }
  void adopt(const MeasuredPtr& measured) override { measured_ = measured; }

  MeasuredPtr measured_;
};

std::shared_ptr<PassedOver> passed_over() {
  return std::make_shared<PassedOver>();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(open_views)

BOOST_AUTO_TEST_CASE(all_callers_share_the_first_view) {
  OpenViews views;
  BOOST_TEST(!views.find(7));
  const auto first = views.keep(7, passed_over());
  BOOST_TEST((views.keep(7, passed_over()) == first));
  BOOST_TEST((views.find(7) == first));
}

BOOST_AUTO_TEST_CASE(closed_views_are_evicted_but_measurements_stay) {
  OpenViews views;
  const auto open = views.keep(1, passed_over());
  auto sized = passed_over();
  sized->measured_ = std::make_shared<const Measured>(Measured{"offsets", {0, 5}});
  views.keep(2, sized);
  views.remember_size(2, 5, *sized);
  sized.reset();
  views.keep(3, passed_over());
  for (Inode file = 10; file < 3000; ++file) views.keep(file, passed_over());
  BOOST_TEST((views.find(1) == open));
  BOOST_TEST(!views.find(3));
  BOOST_TEST(views.size(2).value() == 5u);
  const auto again = passed_over();
  BOOST_TEST((views.keep(2, again) == again));
  BOOST_TEST(again->measured_->numbers.back() == 5u);
  BOOST_TEST(!views.size(3));
}

BOOST_AUTO_TEST_CASE(measurements_of_released_names_are_kept_until_they_are_saved) {
  const auto inodes = std::make_shared<Inodes>();
  OpenViews views(inodes);
  const auto measure = [&](const std::string& name) {
    const Inodes::Visit visit(*inodes);
    const Inode file = inodes->of(kRootInode, name, FileKind::file);
    const auto view = passed_over();
    view->measured_ = std::make_shared<const Measured>(Measured{"offsets", {0, 5}});
    views.keep(file, view, std::make_shared<const IndexPlace>(IndexPlace{"store", true, name}));
    views.remember_size(file, 5, *view);
  };
  constexpr size_t kNames = 10000;  // more than it holds before it looks for released ones
  for (size_t i = 0; i < kNames; ++i) measure(std::to_string(i));
  std::set<std::string> paths;
  for (const auto& [place, measured] : views.measured(true)) {
    paths.insert(place->path);
    BOOST_REQUIRE(measured);
  }
  BOOST_TEST(paths.size() == kNames);
  BOOST_TEST(views.measured(true).size() < kNames);
}

BOOST_AUTO_TEST_CASE(measurement_without_a_place_is_not_saved) {
  OpenViews views;
  const auto view = passed_over();
  view->measured_ = std::make_shared<const Measured>(Measured{"offsets", {0, 5}});
  views.keep(2, view);
  views.remember_size(2, 5, *view);
  BOOST_TEST(views.measured(true).empty());
}

BOOST_AUTO_TEST_CASE(evicted_view_is_shared_while_it_is_open) {
  OpenViews views;
  auto open = views.keep(1, passed_over());
  views.let_go(1);
  BOOST_TEST((views.find(1) == open));
  BOOST_TEST(!views.let_go(1));
  const std::weak_ptr<ViewFile> kept = open;
  open.reset();
  {
    const auto freed_by_the_caller = views.let_go(1);
    BOOST_TEST((freed_by_the_caller == kept.lock()));
  }
  BOOST_TEST(kept.expired());
  BOOST_TEST(!views.find(1));
  views.let_go(99);
}

BOOST_AUTO_TEST_SUITE_END()
