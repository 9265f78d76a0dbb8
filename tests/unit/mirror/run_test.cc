// The run that a folder of results belongs to.
#include "formats/mirror/run.h"

#include <boost/filesystem.hpp>
#include <boost/filesystem/fstream.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;

class RunFolder {
 public:
  void write(const std::string& name, const std::string& text) {
    const boost::filesystem::path path = directory_.path(name);
    boost::filesystem::create_directories(path.parent_path());
    boost::filesystem::ofstream(path) << text;
  }
  // Returns the JSON of the run found; "" without a run.
  std::string run(const std::string& folder = "run") {
    const Json::Object found = folder::run_in(directory_.path(folder), context_);
    return found.empty() ? "" : to_json_text(Json(found));
  }
  TestContext& context() { return context_; }

 private:
  const TemporaryDirectory directory_;
  TestContext context_;
};

constexpr const char kFactors[] = R"({"spot_diameter_fullres": 7.5, "microns_per_pixel": 0.5})";

BOOST_AUTO_TEST_SUITE(mirror_run)

BOOST_AUTO_TEST_CASE(manifest_of_xenium_names_its_run) {
  RunFolder folder;
  folder.write("run/experiment.xenium",
               R"({"major_version": 5, "run_name": "R", "panel_name": "N/A", "num_cells": 3, "other": 1})");
  BOOST_TEST(folder.run() == R"({"kind":"Xenium","name":"R","num_cells":3})");
  BOOST_TEST(folder.context().warnings().empty());
}

BOOST_AUTO_TEST_CASE(scale_factors_identify_a_run_of_visium) {
  RunFolder folder;
  folder.write("sample/outs/spatial/scalefactors_json.json", kFactors);
  BOOST_TEST(folder.run("sample/outs") == R"({"kind":"Visium","name":"sample","microns_per_pixel":0.5})");
}

BOOST_AUTO_TEST_CASE(bins_identify_a_run_of_visium_hd) {
  RunFolder folder;
  for (const char* bin : {"square_016um", "square_002um"})
    folder.write(std::string("run/binned_outputs/") + bin + "/spatial/scalefactors_json.json", kFactors);
  BOOST_TEST(
      folder.run() ==
      R"({"kind":"Visium HD","name":"run","bins":["square_002um","square_016um"],"microns_per_pixel":0.5})");
}

BOOST_AUTO_TEST_CASE(other_folders_are_of_no_run) {
  RunFolder folder;
  folder.write("run/experiment.json", "{}");
  folder.write("run/spatial/scalefactors_json.json", "[1]");
  folder.write("run/binned_outputs/readme", "");
  BOOST_TEST(folder.run() == "");
  BOOST_TEST(folder.context().warnings().empty());
}

BOOST_AUTO_TEST_CASE(unreadable_manifest_is_logged) {
  RunFolder folder;
  folder.write("run/experiment.xenium", "{");
  BOOST_TEST(folder.run() == "");
  BOOST_TEST(folder.context().warned("experiment.xenium: "));
  RunFolder large;
  large.write("run/experiment.xenium", std::string((1 << 20) + 1, ' '));
  BOOST_TEST(large.run() == "");
  BOOST_TEST(large.context().warned("1048577 bytes, expected at most 1048576"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
