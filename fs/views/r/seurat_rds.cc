#include "fs/views/r/r_files.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "formats/annotated/left_out.h"
#include "formats/core/frames/common_type.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/arrays/turned_array.h"
#include "fs/layout/array_segment.h"
#include "fs/views/r/rds.h"
#include "fs/views/r/rds_tree.h"
#include "fs/views/r/seurat_names.h"
#include "fs/views/r/seurat_parts.h"
#include "fs/views/table/flat_columns.h"

namespace plainfs {

namespace {

constexpr const char kPackage[] = "SeuratObject";
constexpr const char kImagePackage[] = "Seurat";  // the package of the image classes

// The radius of spots without a recorded diameter, in widths of the picture: Seurat's value for SlideSeq.
constexpr double kPlainRadius = 0.005;

// Returns the longest side of the picture; like Seurat, counts its colours as a side.
double longest_side(const Slide& slide) {
  return static_cast<double>(*std::max_element(slide.pixels->shape().begin(), slide.pixels->shape().end()));
}

// Adds what Seurat's Read10X_Image derives from the scale factors, if the store does not have it. Seurat 4
// draws by spot.radius, Seurat 5 by spot and lowres.
Slide complete_slide(Slide slide, Context& context) {
  if (slide.spot_radius) return slide;
  const double side = longest_side(slide);
  const double radius = slide.fiducial * slide.lowres / side;
  if (std::isfinite(radius)) {
    slide.spot_radius = radius;
  } else if (const double of_spot = slide.spot * slide.lowres / side; std::isfinite(of_spot)) {
    slide.spot_radius = of_spot;
  } else {
    context.notice(fmt::format("seurat.rds: images/{}: unknown spot diameter; drawn with a radius of {}",
                               slide.name, kPlainRadius));
    slide.spot_radius = kPlainRadius;
    slide.spot = kPlainRadius * side / slide.lowres;
  }
  return slide;
}

// Returns pixels as R draws them: reals from 0 to 1.
ArrayPtr bright_pixels(const ArrayPtr& pixels) {
  if (pixels->dtype().kind == Kind::real) return pixels;
  const double full = pixels->dtype().size == 1 ? UINT8_MAX : UINT16_MAX;
  return mapped(pixels, number_type(Kind::real, 8),
                [full, type = pixels->dtype()](Elements stored, const Box&) {
                  Elements reals = as_type(type, std::move(stored), number_type(Kind::real, 8));
                  for (double& value : reals.mutable_values<double>()) value /= full;
                  return reals;
                });
}

class SeuratWriter {
 public:
  // taken: receives what R cannot hold of the lists.
  SeuratWriter(const SeuratObject& object, ColumnMatrices& matrices, TakenParts& taken, Context& context)
      : object_(object),
        matrices_(matrices),
        context_(context),
        out_(context),
        lists_(
            matrices, context,
            [&taken](const std::string& path, const std::string& why) { taken.refuse_stored(path, why); },
            out_) {}

  ByteLayout write();

 private:
  using Assay = SeuratObject::Assay;
  using Reduction = SeuratObject::Reduction;

  // Writes a slot's name and a vector of one text.
  void text_slot(const char* slot, const std::string& value) {
    out_.attribute(slot);
    out_.texts({value});
  }
  void list_slot(const char* slot, const RList& list, const std::string& path) {
    out_.attribute(slot);
    lists_.put(list, path);
  }
  void empty_list_slot(const char* slot) {
    out_.attribute(slot);
    out_.vector(RVector::list, 0);
  }
  // Writes a list of `members`, each written by put(member), with their names.
  template <class Member, class Put>
  void named_list_slot(const char* slot, const std::vector<Member>& members, Put put);

  void put_assay(const Assay& assay);
  void put_graph(const SeuratObject::Graph& graph);
  void put_reduction(const Reduction& reduction);
  void put_jackstraw();
  void put_image(const Slide& image);
  void put_pixels(const ArrayPtr& pixels);
  void put_scale_factors(const Slide& image);
  void put_matrix(const SeuratMatrix& matrix, const Assay& assay);
  void put_dense(const ColumnsOf& matrix, const ArrayPtr& rows, const ArrayPtr& columns);
  void put_empty() { put_dense({}, nullptr, nullptr); }
  void put_frame(const std::vector<Column>& columns, const ArrayPtr& row_names) {
    put_data_frame(
        columns, [&] { out_.texts(row_names); }, context_, out_);
  }
  void put_identities();
  void put_version();
  void put_real(double value) {
    out_.vector(RVector::real, 1);
    out_.real(value);
  }

  const SeuratObject& object_;
  ColumnMatrices& matrices_;
  Context& context_;
  RdsWriter out_;
  RTreeWriter lists_;
};

template <class Member, class Put>
void SeuratWriter::named_list_slot(const char* slot, const std::vector<Member>& members, Put put) {
  if (members.empty()) return empty_list_slot(slot);
  out_.attribute(slot);
  out_.vector(RVector::list, members.size(), false, true);
  std::vector<std::string> names;
  for (const Member& member : members) {
    put(member);
    names.push_back(member.name);
  }
  out_.attribute("names");
  out_.texts(names);
  out_.end_attributes();
}

ByteLayout SeuratWriter::write() {
  out_.s4_object();
  named_list_slot("assays", object_.assays, [&](const Assay& assay) { put_assay(assay); });
  out_.attribute("meta.data");
  put_frame(object_.meta_data, object_.cells);
  text_slot("active.assay", object_.active_assay);
  out_.attribute("active.ident");
  put_identities();
  named_list_slot("graphs", object_.graphs, [&](const SeuratObject::Graph& graph) { put_graph(graph); });
  list_slot("neighbors", object_.neighbors, "/neighbors");
  named_list_slot("reductions", object_.reductions,
                  [&](const Reduction& reduction) { put_reduction(reduction); });
  named_list_slot("images", object_.images,
                  [&](const Slide& image) { put_image(complete_slide(image, context_)); });
  text_slot("project.name", object_.project);
  list_slot("misc", object_.misc, "/misc");
  out_.attribute("version");
  put_version();
  out_.attribute("commands");
  lists_.put_commands(object_.commands, "/commands");
  list_slot("tools", object_.tools, "/tools");
  out_.s4_class("Seurat", kPackage);
  return out_.finish();
}

void SeuratWriter::put_assay(const Assay& assay) {
  out_.s4_object();
  out_.attribute("counts");
  put_matrix(assay.counts, assay);
  out_.attribute("data");
  put_matrix(assay.data, assay);
  out_.attribute("scale.data");
  put_dense(assay.scaled, assay.scaled_features, object_.cells);
  text_slot("key", assay.key);
  out_.attribute("assay.orig");
  out_.symbol("\001NULL\001");
  out_.attribute("var.features");
  if (assay.variable_features)
    out_.texts(assay.variable_features);
  else
    out_.vector(RVector::logical, 0);
  out_.attribute("meta.features");
  put_frame(assay.columns, assay.features);
  list_slot("misc", assay.misc, "/assays/" + assay.name + "/misc");
  out_.s4_class("Assay", kPackage);
}

void SeuratWriter::put_matrix(const SeuratMatrix& matrix, const Assay& assay) {
  if (const auto* dense = std::get_if<ColumnsOf>(&matrix))
    return put_dense(*dense, assay.features, object_.cells);
  const auto* sparse = std::get_if<SparseMatrix>(&matrix);
  if (!sparse) return put_empty();
  const ColumnMatrixPtr by_column = matrices_.of(*sparse);
  if (by_column->rows() != assay.features->count() || by_column->columns() != object_.cells->count())
    throw damaged("a matrix of {} is {} by {}, expected {} by {}", assay.name, by_column->rows(),
                  by_column->columns(), assay.features->count(), object_.cells->count());
  out_.s4_object();
  put_dgc_slots(*by_column, assay.features, object_.cells, out_);
  out_.s4_class("dgCMatrix", "Matrix");
}

// Writes a matrix of doubles with its names; the empty matrix has none.
void SeuratWriter::put_dense(const ColumnsOf& matrix, const ArrayPtr& rows, const ArrayPtr& columns) {
  const uint64_t count = matrix.values ? matrix.values->count() : 0;
  out_.vector(RVector::real, count, false, true);
  if (matrix.values) {
    matrix.values->check();
    const Shape& shape = matrix.values->shape();
    if (rows->count() != shape.at(1) || columns->count() != shape[0])
      throw damaged("a matrix for Seurat is {} by {}, expected {} by {}", shape[1], shape[0], rows->count(),
                    columns->count());
    out_.data(array_segment(matrix.values, r_double(), context_));
  }
  out_.attribute("dim");
  out_.vector(RVector::integer, 2);
  for (const ArrayPtr& names : {rows, columns}) {
    const uint64_t length = matrix.values ? names->count() : 0;
    if (length > INT32_MAX) throw unsupported("{} rows or columns are too many for R's arrays", length);
    out_.integer(static_cast<int32_t>(length));
  }
  if (matrix.values) {
    out_.attribute("dimnames");
    out_.vector(RVector::list, 2);
    out_.texts(rows);
    out_.texts(columns);
  }
  out_.end_attributes();
}

void SeuratWriter::put_identities() {
  const std::optional<NativeFactor> factor = native_factor(*object_.identities);
  if (!factor) throw unsupported("the identities of the cells cannot be a factor of R");
  put_factor(*factor, out_);
  out_.attribute("names");
  out_.texts(object_.cells);
  out_.end_attributes();
}

// Writes the version of SeuratObject, the package of these objects.
void SeuratWriter::put_version() {
  out_.vector(RVector::list, 1, true, true);
  out_.vector(RVector::integer, 3);
  for (const int32_t number : {4, 1, 3}) out_.integer(number);
  out_.class_attribute({"package_version", "numeric_version"});
  out_.end_attributes();
}

void SeuratWriter::put_graph(const SeuratObject::Graph& graph) {
  const ColumnMatrixPtr matrix = matrices_.of(graph.matrix);
  const uint64_t cells = object_.cells->count();
  if (matrix->rows() != cells || matrix->columns() != cells)
    throw damaged("graph {} is {} by {} for {} cells", graph.name, matrix->rows(), matrix->columns(), cells);
  out_.s4_object();
  text_slot("assay.used", graph.assay);
  put_dgc_slots(*matrix, object_.cells, object_.cells, out_);
  out_.s4_class("Graph", kPackage);
}

void SeuratWriter::put_reduction(const Reduction& reduction) {
  const auto dimensions_of = [&](const ColumnsOf& matrix) {
    return numbered_texts(matrix.values ? matrix.values->shape().at(0) : 0, reduction.key, 1);
  };
  const ArrayPtr dimensions = dimensions_of(reduction.embeddings);
  out_.s4_object();
  out_.attribute("cell.embeddings");
  put_dense(reduction.embeddings, object_.cells, dimensions);
  out_.attribute("feature.loadings");
  put_dense(reduction.loadings, reduction.features, dimensions_of(reduction.loadings));
  out_.attribute("feature.loadings.projected");
  put_dense(reduction.projected, reduction.projected_features, dimensions_of(reduction.projected));
  text_slot("assay.used", reduction.assay);
  out_.attribute("global");
  out_.vector(RVector::logical, 1);
  out_.integer(reduction.is_global);
  out_.attribute("stdev");
  out_.vector(RVector::real, reduction.stdev ? reduction.stdev->count() : 0);
  if (reduction.stdev) out_.data(array_segment(reduction.stdev, r_double(), context_));
  text_slot("key", reduction.key);
  if (reduction.jackstraw) {
    out_.attribute("jackstraw");
    lists_.put_value(*reduction.jackstraw, "/reductions/" + reduction.name + "/jackstraw");
  } else {
    put_jackstraw();
  }
  list_slot("misc", reduction.misc, "/reductions/" + reduction.name + "/misc");
  out_.s4_class("DimReduc", kPackage);
}

void SeuratWriter::put_jackstraw() {
  out_.attribute("jackstraw");
  out_.s4_object();
  for (const char* slot :
       {"empirical.p.values", "fake.reduction.scores", "empirical.p.values.full", "overall.p.values"}) {
    out_.attribute(slot);
    put_empty();
  }
  out_.s4_class("JackStrawData", kPackage);
}

void SeuratWriter::put_image(const Slide& image) {
  const Elements all = read_all(*object_.cells);
  const ArrayPtr cells = std::make_shared<MemoryArray>(text_type(), Shape{image.cells.size()},
                                                       gather(text_type(), all, image.cells));
  out_.s4_object();
  out_.attribute("image");
  put_pixels(image.pixels);
  out_.attribute("scale.factors");
  put_scale_factors(image);
  out_.attribute("coordinates");
  put_frame(image.coordinates, cells);
  out_.attribute("spot.radius");
  put_real(*image.spot_radius);
  text_slot("assay", image.assay);
  text_slot("key", image.key);
  out_.s4_class("VisiumV1", kImagePackage);
}

void SeuratWriter::put_pixels(const ArrayPtr& pixels) {
  out_.vector(RVector::real, pixels->count(), false, true);
  out_.data(array_segment(in_column_order(bright_pixels(pixels)), r_double(), context_));
  out_.attribute("dim");
  out_.vector(RVector::integer, 3);
  for (const uint64_t length : pixels->shape()) {
    if (length > INT32_MAX)
      throw unsupported("a picture of {} pixels along a side is too large for R's arrays", length);
    out_.integer(static_cast<int32_t>(length));
  }
  out_.end_attributes();
}

void SeuratWriter::put_scale_factors(const Slide& image) {
  out_.vector(RVector::list, 4, true, true);
  for (const double factor : {image.spot, image.fiducial, image.hires, image.lowres}) put_real(factor);
  out_.attribute("names");
  out_.texts({"spot", "fiducial", "hires", "lowres"});
  out_.class_attribute({"scalefactors"});
  out_.end_attributes();
}

// Returns the features as Seurat requires: unique, and none empty.
ArrayPtr stored_features(const ArrayPtr& features, Context& context) {
  const std::vector<std::string> stored = held_texts(*features, "features", context);
  const std::vector<std::string> generated = made_unique(without_empty_names(stored));
  if (generated == stored) return features;
  note_renamed("features", stored, generated, context);
  return text_array(generated);
}

// Completes a stored object: missing parts as CreateSeuratObject generates them, and columns as R holds them.
void complete(SeuratObject& object, Context& context) {
  object.cells = cell_names(spelled(object.cells, context), context);
  const ArrayPtr generated = identities(object.cells, object.project, context);
  if (object.identities && !native_factor(*object.identities))
    context.notice("seurat.rds: the identities of the cells cannot be a factor of R: not in the object");
  if (!object.identities || !native_factor(*object.identities)) object.identities = generated;
  const auto columns_in = [&](std::vector<Column>& columns, const ArrayPtr& rows, const std::string& place) {
    columns = columns_of_r(flat_columns({rows->count(), nullptr, columns}), "seurat.rds: " + place, context);
  };
  columns_in(object.meta_data, object.cells, "meta.data");
  for (SeuratObject::Assay& assay : object.assays) {
    assay.key = valid_key(assay.key);
    if (assay.key.empty()) assay.key = assay_key(assay.name);
    assay.features = stored_features(spelled(assay.features, context), context);
    columns_in(assay.columns, assay.features, assay.name + "/meta.features");
  }
  for (SeuratObject::Reduction& reduction : object.reductions) {
    reduction.key = valid_key(reduction.key);
    if (reduction.key.empty()) reduction.key = reduction_key(reduction.name);
  }
  for (Slide& image : object.images) {
    image.key = valid_key(image.key);
    if (image.key.empty()) image.key = reduction_key(image.name);
    columns_in(image.coordinates, image.coordinates.front().values, "images/" + image.name);
  }
}

}  // namespace

ByteLayout seurat_rds(SeuratObject object, Context& context) {
  complete(object, context);
  ColumnMatrices matrices(context);
  const auto taken_of = object.taken ? object.taken : std::make_shared<TakenParts>(nullptr);
  TakenParts& taken = *taken_of;
  ByteLayout layout = SeuratWriter(object, matrices, taken, context).write();
  note_parts_left_out(taken, "the object", context, "seurat.rds: ");
  return layout;
}

ByteLayout seurat_rds(const JointMatrices& joint, Context& context) {
  ColumnMatrices matrices(context);
  const SeuratObject object = seurat_object(joint, matrices, context);
  TakenParts refused(nullptr);
  ByteLayout layout = SeuratWriter(object, matrices, refused, context).write();
  note_parts_left_out(refused, "the object", context, "seurat.rds: ");
  return layout;
}

}  // namespace plainfs
