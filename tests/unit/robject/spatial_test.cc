// Spatial objects of R assembled by hand: their files and slides.
#include <fmt/ranges.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <fstream>

#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/seurat_objects.h"
#include "formats/annotated/slides/slides.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/open_store.h"
#include "tests/support/mentions.h"
#include "tests/support/probe.h"
#include "tests/support/store_nodes.h"
#include "tests/support/test_context.h"
#include "tests/unit/rds/r_stream.h"
#include "tests/unit/rds/rds_file.h"

namespace {

using namespace plainfs;

using rds::kWithAttributes;
using rds::RdsFile;
using rds::RStream;
using rds::start;

using Names = std::vector<std::string>;
using Numbers = std::vector<double>;
using Put = std::function<void()>;

class SpatialObject {
 public:
  explicit SpatialObject(const RStream& stream)
      : file_(stream.text), store_(open_store(file_.path, context_)) {}

  TestContext& context() { return context_; }
  // Writes a file beside the store.
  void put_beside(const std::string& name, const std::string& content) {
    std::ofstream(file_.path.substr(0, file_.path.rfind('/') + 1) + name, std::ios::binary) << content;
  }
  const GroupPtr& root() const { return store_.root.parts; }
  Node at(const Names& path) {
    std::optional<Node> node = find_path(*root(), path);
    BOOST_REQUIRE(node);
    return *std::move(node);
  }
  std::vector<Slide> seurat_slides() {
    return annotated::seurat_slides(root(), text_array({"c1", "c2", "c3"}), context_);
  }
  AnnotatedMatrix experiment() { return annotated_matrices(store_.root, context_).at(0).make(); }

 private:
  TestContext context_;
  const RdsFile file_;
  const Store store_;
};

Numbers numbers_of(const ArrayPtr& values) {
  return annotated::reals_of(*values);
}

// A matrix of reals by column.
RStream& matrix(RStream& out, const Numbers& values, int32_t columns, const Names& names) {
  out.i(14 | kWithAttributes).i(static_cast<int32_t>(values.size()));
  for (const double value : values) out.real(value);
  out.tag("dim").integers({static_cast<int32_t>(values.size()) / columns, columns});
  return out.tag("dimnames").list(2).nil().strings(names).nil();
}

RStream& frame(RStream& out, const Names& names, const std::vector<Numbers>& columns, const Names& rows) {
  out.list(static_cast<int32_t>(columns.size()), kWithAttributes);
  for (const Numbers& column : columns) out.reals(column);
  out.tag("names").strings(names).tag("class").strings({"data.frame"}).tag("row.names").strings(rows);
  return out.nil();
}

// A Seurat object with one image. put() writes its slots.
SpatialObject with_image(const std::string& class_name, const std::function<void(RStream& out)>& put) {
  RStream out = start();
  out.s4().tag("assays").list(0).tag("images").list(1, kWithAttributes).s4();
  put(out);
  out.class_of(class_name, "Seurat").names({"slice"});
  return SpatialObject(out.class_of("Seurat", "SeuratObject"));
}

void put_centroids(RStream& out, const Numbers& x_then_y) {
  out.tag("boundaries").list(1, kWithAttributes).s4().tag("cells").strings({"c2", "c1"}).tag("coords");
  matrix(out, x_then_y, 2, {"x", "y"}).class_of("Centroids", "SeuratObject").names({"centroids"});
}

BOOST_AUTO_TEST_SUITE(spatial_objects)

BOOST_AUTO_TEST_CASE(visium_coordinates_run_across_then_down) {
  SpatialObject object = with_image("VisiumV1", [](RStream& out) {
    frame(out.tag("coordinates"), {"imagerow", "imagecol"}, {{1, 2, 9}, {3, 4, 9}}, {"c3", "c1", "other"});
  });
  const std::vector<Slide> slides = object.seurat_slides();
  BOOST_REQUIRE(slides.size() == 1U);
  BOOST_TEST(slides[0].cells == (std::vector<uint64_t>{2, 0}), boost::test_tools::per_element());
  BOOST_TEST(!slides[0].pixels);
  const Numbers all = numbers_of(annotated::coordinates_of(slides, 3));
  BOOST_TEST(Numbers(all.begin(), all.begin() + 2) == (Numbers{4, 2}), boost::test_tools::per_element());
  BOOST_TEST((std::isnan(all[2]) && std::isnan(all[3])));
  BOOST_TEST(Numbers(all.begin() + 4, all.end()) == (Numbers{3, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(columns_without_a_pair_of_visium_are_the_first_numbers) {
  for (const bool has_row : {false, true}) {
    SpatialObject object = with_image("SlideSeq", [&](RStream& out) {
      out.tag("coordinates").list(has_row ? 3 : 2, kWithAttributes).reals({1, 2}).reals({3, 4});
      if (has_row) out.strings({"a", "b"});
      out.tag("names").strings(has_row ? Names{"imagecol", "z", "imagerow"} : Names{"imagecol", "z"});
      out.tag("class").strings({"data.frame"}).tag("row.names").strings({"c1", "c2"}).nil();
    });
    const std::vector<Slide> slides = object.seurat_slides();
    BOOST_REQUIRE(slides.size() == 1U);
    const Numbers all = numbers_of(annotated::coordinates_of(slides, 2));
    BOOST_TEST(all == (Numbers{1, 3, 2, 4}), boost::test_tools::per_element());
    BOOST_TEST(annotated::spot_diameter(slides[0]) == 0.65 * std::sqrt(2.0),
               boost::test_tools::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(coordinates_of_fewer_cells_than_names_are_an_error) {
  SpatialObject object = with_image("VisiumV1", [](RStream& out) {
    frame(out.tag("coordinates"), {"imagerow", "imagecol"}, {{1, 2}, {3}}, {"c3", "c1"});
  });
  BOOST_CHECK_THROW(object.seurat_slides(), Error);
}

BOOST_AUTO_TEST_CASE(centroids_are_coordinates_in_their_order) {
  SpatialObject object = with_image("FOV", [](RStream& out) { put_centroids(out, {5, 6, 7, 8}); });
  const std::vector<Slide> slides = object.seurat_slides();
  BOOST_REQUIRE(slides.size() == 1U);
  BOOST_TEST(numbers_of(column_values(slides[0].coordinates, "imagecol")) == (Numbers{5, 6}),
             boost::test_tools::per_element());
  BOOST_TEST(numbers_of(column_values(slides[0].coordinates, "imagerow")) == (Numbers{7, 8}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(x_of_an_old_visium_v2_runs_down) {
  const auto across = [](const char* orientation) {
    SpatialObject object = with_image("VisiumV2", [&](RStream& out) {
      put_centroids(out, {5, 6, 7, 8});
      if (orientation) out.tag("coords_x_orientation").strings({orientation});
    });
    return numbers_of(column_values(object.seurat_slides().at(0).coordinates, "imagecol"));
  };
  BOOST_TEST(across(nullptr) == (Numbers{7, 8}), boost::test_tools::per_element());
  BOOST_TEST(across("") == (Numbers{7, 8}), boost::test_tools::per_element());
  BOOST_TEST(across("horizontal") == (Numbers{5, 6}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(outlines_provide_their_label_points) {
  SpatialObject object = with_image("FOV", [](RStream& out) {
    out.tag("boundaries").list(1, kWithAttributes).s4().tag("polygons").list(2);
    for (const char* cell : {"c1", "c2"})
      out.s4().tag("labpt").reals({1, 2}).tag("ID").strings({cell}).class_of("Polygons", "sp");
    out.class_of("Segmentation", "SeuratObject").names({"segmentation"});
  });
  const Table table = std::get<Table>(object.at({"images", "slice", "coordinates"}).content);
  BOOST_TEST(shown(*table.row_names) == (Names{"c1", "c2"}), boost::test_tools::per_element());
  BOOST_TEST(numbers_of(table.columns.at(1).values) == (Numbers{2, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_image_of_other_cells_is_no_slide) {
  SpatialObject object = with_image("SlideSeq", [](RStream& out) {
    frame(out.tag("coordinates"), {"a", "b"}, {{1}, {2}}, {"other"});
  });
  BOOST_TEST(object.seurat_slides().empty());
}

RStream& s4_frame(RStream& out, const Names& names, const std::vector<Put>& columns, int32_t rows) {
  out.s4().tag("listData").list(static_cast<int32_t>(columns.size()), kWithAttributes);
  for (const Put& put : columns) put();
  return out.names(names).tag("nrows").integers({rows}).class_of("DFrame", "S4Vectors");
}

RStream& raster(RStream& out, const Names& colors, int32_t rows) {
  out.strings(colors, kWithAttributes);
  out.tag("dim").integers({rows, static_cast<int32_t>(colors.size()) / rows});
  return out.tag("class").strings({"raster"}).nil();
}

// The parts that an experiment may lack.
struct Parts {
  bool has_coordinates = true, has_table = true;
  const char* reduced = nullptr;  // the name of a reduced dimension
  std::string picture_file{};     // of the picture, which is in the object if this is empty
};

// Writes the columns of int_colData: coordinates, and a reduced dimension.
void put_internal(RStream& out, const Names& axes, const Parts& parts) {
  Names names;
  std::vector<Put> columns;
  const Put coordinates = [&] { matrix(out, {1, 2, 3, 4, 5, 6}, 2, axes); };
  if (parts.has_coordinates) {
    names.push_back("spatialCoords");
    columns.push_back(coordinates);
  }
  if (parts.reduced) {
    names.push_back("reducedDims");
    columns.push_back([&] { s4_frame(out, {parts.reduced}, {coordinates}, 3); });
  }
  s4_frame(out, names, columns, 3);
}

// An experiment with one gene and the cells of two samples, with a picture of the first.
SpatialObject experiment(const Names& colors, const Names& axes, const Parts& parts = {}) {
  RStream out = start();
  out.s4().tag("colData");
  s4_frame(out, {"sample_id"}, {[&] { out.strings({"s1", "s2", "s1"}); }}, 3).tag("elementMetadata");
  s4_frame(out, {}, {}, 1).tag("assays").list(1, kWithAttributes);
  matrix(out, {1, 2, 3}, 3, {"c1", "c2", "c3"}).names({"counts"}).tag("int_colData");
  put_internal(out, axes, parts);
  out.tag("int_metadata").list(1, kWithAttributes);
  const Put picture = [&] {
    out.list(1).s4();
    if (parts.picture_file.empty())
      raster(out.tag("image"), colors, 2).class_of("LoadedSpatialImage", "SpatialExperiment");
    else
      out.tag("path").strings({parts.picture_file}).class_of("StoredSpatialImage", "SpatialExperiment");
  };
  if (parts.has_table)
    s4_frame(
        out, {"sample_id", "image_id", "data", "scaleFactor"},
        {[&] { out.strings({"s1"}); }, [&] { out.strings({"lowres"}); }, picture, [&] { out.reals({0.5}); }},
        1);
  else
    out.reals({1});
  return SpatialObject(out.names({"imgData"}).class_of("SpatialExperiment", "SpatialExperiment"));
}

const Names kColors{"#000102", "#101112", "#202122", "#303132", "#404142", "#FFFEFD"};

BOOST_AUTO_TEST_CASE(a_raster_is_pixels_row_by_row) {
  SpatialObject object = experiment(kColors, {"x", "y"});
  const auto image = std::get<LabelledArray>(object.at({"images", "s1_lowres", "image"}).content);
  BOOST_TEST(image.values->shape() == (Shape{2, 3, 3}), boost::test_tools::per_element());
  const Elements second = image.values->read({{1, 0, 1}, {1, 3, 1}});
  BOOST_TEST(second.values<uint8_t>()[0] == 0x31);
  BOOST_TEST(second.values<uint8_t>()[2] == 0xfe);
  const Table table = std::get<Table>(object.at({"images"}).content);
  BOOST_TEST(table.columns.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_raster_with_opacity_has_four_colours) {
  Names colors = kColors;
  colors[0] = "#00010203";
  SpatialObject object = experiment(colors, {"x", "y"});
  const auto image = std::get<LabelledArray>(object.at({"images", "s1_lowres", "image"}).content);
  BOOST_TEST(image.values->shape().at(2) == 4U);
  const Elements all = read_all(*image.values);
  BOOST_TEST(all.values<uint8_t>()[3] == 3);
  BOOST_TEST(all.values<uint8_t>()[7] == 255);
}

BOOST_AUTO_TEST_CASE(a_colour_by_name_is_unsupported) {
  for (const char* name : {"white", "#0001zz", "#0001", "transparent"}) {
    Names colors = kColors;
    colors[3] = name;
    SpatialObject object = experiment(colors, {"x", "y"});
    const auto image = std::get<LabelledArray>(object.at({"images", "s1_lowres", "image"}).content);
    BOOST_CHECK_EXCEPTION(read_all(*image.values), Error,
                          [](const Error& error) { return error.code() == Errc::unsupported; });
  }
}

BOOST_AUTO_TEST_CASE(coordinates_of_an_experiment_are_in_obsm) {
  SpatialObject object = experiment(kColors, {"x", "y"});
  const AnnotatedMatrix generated = object.experiment();
  BOOST_REQUIRE(generated.obsm.size() == 1U);
  BOOST_TEST(generated.obsm[0].name == "spatial");
  const auto shown_points = std::get<LabelledArray>(object.at({"spatial_coordinates"}).content);
  BOOST_TEST(shown(*shown_points.column_names) == (Names{"x", "y"}), boost::test_tools::per_element());
}

// Version 1.0.
BOOST_AUTO_TEST_CASE(coordinates_of_an_old_experiment_are_a_frame) {
  RStream out = start();
  out.s4().tag("colData");
  s4_frame(out, {}, {}, 3).tag("elementMetadata");
  s4_frame(out, {}, {}, 1).tag("assays").list(1, kWithAttributes);
  matrix(out, {1, 2, 3}, 3, {"c1", "c2", "c3"}).names({"counts"}).tag("int_colData");
  s4_frame(out, {"spatial"}, {[&] {
             s4_frame(out, {"in_tissue", "pxl_row_in_fullres", "pxl_col_in_fullres"},
                      {[&] {
                         out.reals({1, 1, 1});
                       },
                       [&] {
                         out.reals({1, 2, 3});
                       },
                       [&] {
                         out.reals({4, 5, 6});
                       }},
                      3);
           }},
           3);
  SpatialObject object(out.class_of("SpatialExperiment", "SpatialExperiment"));
  BOOST_TEST(std::get<Table>(object.at({"spatial_coordinates"}).content).columns.size() == 3U);
  const AnnotatedMatrix generated = object.experiment();
  BOOST_TEST(
      numbers_of(std::get<LabelledArray>(generated.obsm.at(0).content).values) == (Numbers{4, 1, 5, 2, 6, 3}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_sample_is_a_slide_of_its_cells) {
  for (const Names& axes : {Names{"x", "y"}, {"pxl_row_in_fullres", "pxl_col_in_fullres"}}) {
    SpatialObject object = experiment(kColors, axes);
    const std::vector<Slide> slides = object.experiment().slides();
    BOOST_REQUIRE(slides.size() == 1U);
    BOOST_TEST(slides[0].name == "s1");
    BOOST_TEST(slides[0].cells == (std::vector<uint64_t>{0, 2}), boost::test_tools::per_element());
    BOOST_TEST(slides[0].lowres == 0.5);
    BOOST_TEST(numbers_of(column_values(slides[0].coordinates, "imagerow")) ==
                   (axes[0] == "x" ? Numbers{4, 6} : Numbers{1, 3}),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(pictures_without_a_place_are_logged) {
  for (const Parts& parts :
       {Parts{.has_coordinates = false}, Parts{.has_table = false}, Parts{.reduced = "spatial"}}) {
    SpatialObject object = experiment(kColors, {"x", "y"}, parts);
    BOOST_TEST(!object.experiment().pictures);
    BOOST_TEST(object.context().warned("images: not in the .h5ad"));
  }
  SpatialObject whole = experiment(kColors, {"x", "y"}, {.reduced = "pca"});
  BOOST_TEST(whole.experiment().obsm.size() == 2U);
  BOOST_TEST(!whole.context().warned("images"));
}

BOOST_AUTO_TEST_CASE(png_without_an_extension_is_one_member) {
  const auto members = [](const std::string& path) {
    SpatialObject object = experiment({}, {"x", "y"}, {.picture_file = path});
    object.put_beside(path, "\x89PNG\r\n\x1a\n");
    Names names;
    for (const Member& member : object.at({"images", "s1_lowres"}).parts->members())
      if (member.name.starts_with("image")) names.push_back(member.name);
    return names;
  };
  BOOST_TEST(members("photo.png") == (Names{"image.png", "image"}), boost::test_tools::per_element());
  BOOST_TEST(members("photo") == (Names{"image"}), boost::test_tools::per_element());
}

// takane's list of pictures: two samples, a picture of the second, and three cells. One list may differ.
struct Mapping {
  std::shared_ptr<MemoryGroup> root = std::make_shared<MemoryGroup>();
  TestContext context;

  explicit Mapping(const std::string& name = {}, const Node& changed = {}) {
    const auto mapping = root->add_group("images")->add_group("mapping.h5")->add_group("spatial_experiment");
    const auto add = [&](const std::string& list, const Node& node) {
      mapping->add(list, list == name ? changed : node);
    };
    const auto text = [](const Names& names) {
      return Node{LabelledArray{text_array(names), nullptr, nullptr}};
    };
    add("sample_names", text({"s1", "s2"}));
    add("image_ids", text({"lowres"}));
    add("image_samples", array_node<int32_t>({1}));
    add("image_scale_factors", array_node<double>({0.5}));
    add("column_samples", array_node<int32_t>({0, 1, 1}));
    root->add("spatial_coordinates", array_node<double>({1, 2, 3, 4, 5, 6}, {3, 2}));
  }
  std::vector<Slide> slides() {
    return annotated::experiment_slides(root, {3, text_array({"c1", "c2", "c3"}), {}}, context);
  }
};

BOOST_AUTO_TEST_CASE(wrong_type_in_a_list_of_pictures_is_damage) {
  BOOST_TEST(Mapping().slides().size() == 2U);
  const auto check_damaged = [](const std::string& name, const Node& changed, const std::string& words) {
    Mapping mapping(name, changed);
    BOOST_CHECK_EXCEPTION(mapping.slides(), Error, [&](const Error& error) {
      return error.code() == Errc::damaged && mentions(words)(error);
    });
  };
  const std::string wrong = " has the wrong type or shape";
  for (const char* name : {"sample_names", "image_ids"})
    check_damaged(name, array_node<int32_t>({1}), name + wrong);
  for (const char* name : {"image_samples", "column_samples"})
    check_damaged(name, array_node<double>({1.5}), name + wrong);
  for (const char* name : {"image_samples", "column_samples", "image_scale_factors"})
    check_damaged(name, Node{LabelledArray{text_array({"1"}), nullptr, nullptr}}, name + wrong);
  check_damaged("image_ids", Node{}, "the list image_ids is missing");
  check_damaged("image_samples", array_node<int32_t>({2}), "sample 2 is not below 2");
}

BOOST_AUTO_TEST_CASE(transient_error_of_images_is_not_an_absence) {
  const auto root = std::make_shared<MemoryGroup>();
  root->add("images", Node{unreadable("disk")});
  BOOST_CHECK_EXCEPTION(annotated::may_have_pictures(root), Error, mentions("disk"));
  const auto outer = std::make_shared<MemoryGroup>();
  outer->add_group("images")->add("mapping.h5", Node{unreadable("disk")});
  BOOST_CHECK_EXCEPTION(annotated::may_have_pictures(outer), Error, mentions("disk"));
  BOOST_TEST(!annotated::may_have_pictures(std::make_shared<MemoryGroup>()));
}

Slide slide_of_cells(const std::vector<uint64_t>& cells, const Numbers& x, const Numbers& y) {
  Slide slide;
  slide.cells = cells;
  slide.coordinates = annotated::plain_coordinates(number_array(x), number_array(y));
  return slide;
}

BOOST_AUTO_TEST_CASE(sample_has_its_picture_and_factors_in_uns) {
  const std::vector<SlidePictures> pictures = experiment(kColors, {"x", "y"}).experiment().pictures();
  BOOST_REQUIRE(pictures.size() == 1U);
  BOOST_TEST(pictures[0].name == "s1");
  BOOST_REQUIRE(pictures[0].images.size() == 1U);
  BOOST_TEST(pictures[0].images[0].name == "lowres");
  BOOST_TEST(pictures[0].images[0].values->shape() == (Shape{2, 3, 3}), boost::test_tools::per_element());
  BOOST_REQUIRE(pictures[0].factors.size() == 2U);
  BOOST_TEST(pictures[0].factors[0].first == "tissue_lowres_scalef");
  BOOST_TEST(pictures[0].factors[0].second == 0.5);
  BOOST_TEST(pictures[0].factors[1].first == "spot_diameter_fullres");
  BOOST_TEST(pictures[0].factors[1].second == 0.65 * std::sqrt(8.0), boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(pixels_of_any_type_become_bytes) {
  const auto bytes = [](const Numbers& values, uint64_t colors) {
    Elements elements = zero_elements(number_type(Kind::real, 8), values.size());
    std::copy(values.begin(), values.end(), elements.mutable_values<double>().begin());
    const ArrayPtr pixels = annotated::byte_pixels(std::make_shared<MemoryArray>(
        number_type(Kind::real, 8), Shape{1, values.size() / colors, colors}, std::move(elements)));
    return numbers_of(pixels);
  };
  BOOST_TEST(bytes({0, 0.5, 1, 2, -1, NAN}, 3) == (Numbers{0, 128, 255, 255, 0, 0}),
             boost::test_tools::per_element());
  BOOST_TEST(bytes({0, 1, 0, 0, 1, 0, 0, 1}, 4) == (Numbers{255, 255, 255, 255, 0, 0}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(slide_without_a_diameter_has_one_of_its_neighbours) {
  Slide slide = slide_of_cells({0, 1, 2}, {0, 10, 20}, {0, 0, 0});
  BOOST_TEST(annotated::spot_diameter(slide) == 6.5);
  slide.spot = slide.hires = 0.2;  // Seurat 4 stores the factor as the diameter
  BOOST_TEST(annotated::spot_diameter(slide) == 6.5);
  slide.spot = 7;
  BOOST_TEST(annotated::spot_diameter(slide) == 7);
  BOOST_TEST(annotated::spot_diameter(slide_of_cells({0}, {1}, {1})) == 1);
}

BOOST_AUTO_TEST_CASE(the_first_slide_of_a_cell_has_its_coordinates) {
  const ArrayPtr all =
      annotated::coordinates_of({slide_of_cells({1}, {5}, {6}), slide_of_cells({1, 0}, {7, 8}, {7, 9})}, 2);
  BOOST_TEST(numbers_of(all) == (Numbers{8, 9, 5, 6}), boost::test_tools::per_element());
  BOOST_TEST(!annotated::coordinates_of({}, 2));
}

BOOST_AUTO_TEST_CASE(cells_belong_to_the_slide_named_by_a_column) {
  const auto cells = [](const Names& slides, std::vector<Column> columns) {
    std::string reported;
    const auto found = annotated::cells_of_slides(slides, {3, nullptr, std::move(columns)}, "library_id");
    if (!found) return std::string("none");
    for (const auto& some : *found) reported += fmt::format("{};", fmt::join(some, ","));
    return reported;
  };
  const Column preferred{"library_id", text_array({"a", "other", "b"})};
  const Column other{"batch", text_array({"b", "b", "a"})};
  BOOST_TEST(cells({"a", "b"}, {other, preferred}) == "0;2;");
  BOOST_TEST(cells({"a", "b"}, {{"kind", text_array({"a", "x", "b"})}, other}) == "2;0,1;");
  BOOST_TEST(cells({"a", "b"}, {{"kind", text_array({"a", "x", "b"})}}) == "none");
  BOOST_TEST(cells({"a"}, {preferred}) == "0;");
  BOOST_TEST(cells({"lib"}, {preferred}) == "0,1,2;");
  BOOST_TEST(cells({"lib"}, {}) == "0,1,2;");
}

BOOST_AUTO_TEST_CASE(selected_cells_of_a_slide_are_renumbered) {
  const auto some = annotated::with_cells(
      {slide_of_cells({3, 1, 0}, {1, 2, 3}, {4, 5, 6}), slide_of_cells({2}, {0}, {0})}, {1, 3});
  BOOST_REQUIRE(some.size() == 1U);
  BOOST_TEST(some[0].cells == (std::vector<uint64_t>{1, 0}), boost::test_tools::per_element());
  BOOST_TEST(numbers_of(column_values(some[0].coordinates, "imagecol")) == (Numbers{1, 2}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
