// The folders of runs, recognised by their files.
#include "formats/schemas/tenx/run_folder.h"

#include <boost/filesystem.hpp>
#include <boost/filesystem/fstream.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;
using tenx::RunKind;

class Run {
 public:
  explicit Run(const std::vector<std::string>& files) {
    for (const std::string& name : files) {
      const boost::filesystem::path path = directory_.path(name);
      boost::filesystem::create_directories(path.parent_path());
      boost::filesystem::ofstream(path) << "x";
    }
  }
  std::optional<tenx::RunFolder> find(const std::string& folder = "") {
    const std::string root = directory_.path(folder.empty() ? "." : folder);
    std::optional<tenx::RunFolder> found = tenx::run_folder(root, context_);
    if (found) length_ = root.size() + 1;
    return found;
  }
  // Returns a location relative to the folder that was looked into.
  std::string inside(const std::string& location) const {
    return location.size() < length_ ? "" : location.substr(length_);
  }

 private:
  const TemporaryDirectory directory_;
  TestContext context_;
  size_t length_ = 0;
};

BOOST_AUTO_TEST_SUITE(tenx_run_folder)

BOOST_AUTO_TEST_CASE(folder_with_a_matrix_and_an_output_is_a_run) {
  for (const char* witness : {"analysis/pca/x", "raw_feature_bc_matrix.h5", "web_summary.html"}) {
    Run run({"filtered_feature_bc_matrix.h5", witness});
    const auto found = run.find();
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST((found->kind == RunKind::cell_ranger));
    BOOST_TEST(run.inside(found->matrix) == "filtered_feature_bc_matrix.h5");
  }
  BOOST_TEST(!Run({"filtered_feature_bc_matrix.h5", "notes.txt"}).find().has_value());
  BOOST_TEST(!Run({"raw_feature_bc_matrix.h5", "analysis/pca/x"}).find().has_value());
  Run text({"filtered_feature_bc_matrix/matrix.mtx.gz", "molecule_info.h5"});
  BOOST_TEST(text.inside(text.find()->matrix) == "filtered_feature_bc_matrix");
}

BOOST_AUTO_TEST_CASE(positions_in_text_are_preferred) {
  Run run({"filtered_feature_bc_matrix.h5", "spatial/tissue_positions.parquet",
           "spatial/tissue_positions_list.csv"});
  const auto found = run.find();
  BOOST_TEST((found->kind == RunKind::visium));
  BOOST_TEST(run.inside(found->positions) == "spatial/tissue_positions_list.csv");
  Run xenium({"cell_feature_matrix.h5", "cells.parquet", "cells.csv.gz"});
  BOOST_TEST((xenium.find()->kind == RunKind::xenium));
  BOOST_TEST(xenium.inside(xenium.find()->positions) == "cells.csv.gz");
}

BOOST_AUTO_TEST_CASE(default_bin_is_8_um_or_the_finest_but_2_um) {
  const auto matrix = [](const std::string& bin) {
    return std::vector<std::string>{"binned_outputs/" + bin + "/filtered_feature_bc_matrix.h5",
                                    "binned_outputs/" + bin + "/spatial/tissue_positions.parquet"};
  };
  const auto default_of = [&](const std::vector<std::string>& bins) {
    std::vector<std::string> files;
    for (const std::string& bin : bins)
      for (const std::string& file : matrix(bin)) files.push_back(file);
    Run run(files);
    return run.inside(run.find()->folder);
  };
  BOOST_TEST(default_of({"square_002um", "square_008um", "square_016um"}) == "binned_outputs/square_008um");
  BOOST_TEST(default_of({"square_002um", "square_016um", "square_024um"}) == "binned_outputs/square_016um");
  BOOST_TEST(default_of({"square_002um"}) == "binned_outputs/square_002um");
}

BOOST_AUTO_TEST_CASE(bins_and_segmented_cells_are_runs) {
  Run run({"binned_outputs/square_016um/filtered_feature_bc_matrix.h5",
           "binned_outputs/square_016um/spatial/scalefactors_json.json",
           "segmented_outputs/filtered_feature_cell_matrix.h5", "segmented_outputs/spatial/x",
           "segmented_outputs/cell_segmentations.geojson", "spatial/tissue_hires_image.png"});
  const auto bin = run.find("binned_outputs/square_016um");
  BOOST_TEST((bin->kind == RunKind::visium_hd));
  BOOST_TEST(bin->spatial.size() == 2u);
  BOOST_TEST(bin->spatial[1].ends_with("/spatial"));
  BOOST_TEST(bin->spatial[1].find("binned_outputs") == std::string::npos);
  const auto cells = run.find("segmented_outputs");
  BOOST_TEST((cells->kind == RunKind::visium_hd));
  BOOST_TEST(run.inside(cells->positions) == "cell_segmentations.geojson");
}

BOOST_AUTO_TEST_CASE(folder_around_samples_is_no_run) {
  Run run({"filtered_feature_bc_matrix.h5", "web_summary.html",
           "per_sample_outs/a/count/sample_filtered_feature_bc_matrix.h5",
           "per_sample_outs/a/count/analysis/pca/x"});
  BOOST_TEST(!run.find().has_value());
  BOOST_TEST(run.find("per_sample_outs/a/count").has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
