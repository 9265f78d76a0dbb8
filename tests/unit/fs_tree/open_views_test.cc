#include "fs/tree/open_views.h"

#include <boost/test/unit_test.hpp>

using namespace plainfs;

namespace {

// Has made a pass, or has been told what another found out.
class Measured : public ViewFile {
 public:
  uint64_t size() override { return 1; }
  Slices read(uint64_t, size_t) override { return {}; }
  Findings findings() const override { return findings_; }
  void adopt(const Findings& findings) override { findings_ = findings; }

  Findings findings_;
};

std::shared_ptr<Measured> measured() {
  return std::make_shared<Measured>();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(open_views)

BOOST_AUTO_TEST_CASE(all_share_the_view_that_was_kept_first) {
  OpenViews views;
  BOOST_TEST(!views.find(7));
  const auto first = views.keep(7, measured());
  BOOST_TEST((views.keep(7, measured()) == first));
  BOOST_TEST((views.find(7) == first));
}

BOOST_AUTO_TEST_CASE(what_nobody_has_open_goes_when_there_are_too_many_but_its_findings_stay) {
  OpenViews views;
  const auto open = views.keep(1, measured());
  auto sized = measured();
  sized->findings_ = {std::make_shared<const Finding>(Finding{"offsets", "", {0, 5}})};
  views.keep(2, sized);
  views.remember_size(2, 5, *sized);
  sized.reset();
  views.keep(3, measured());
  for (Inode file = 10; file < 3000; ++file) views.keep(file, measured());
  BOOST_TEST((views.find(1) == open));
  BOOST_TEST(!views.find(3));
  BOOST_TEST(views.size(2).value() == 5u);
  const auto again = measured();
  BOOST_TEST((views.keep(2, again) == again));
  BOOST_TEST(again->findings_.at(0)->numbers.back() == 5u);
  BOOST_TEST(!views.size(3));
}

BOOST_AUTO_TEST_CASE(what_is_let_go_is_shared_as_long_as_somebody_has_it_open) {
  OpenViews views;
  auto open = views.keep(1, measured());
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
