// A group of an AnnData or MuData. Its members get their meaning from their encoding and their place.
#pragma once

#include <optional>
#include <string_view>

#include "formats/core/frames/data_frame.h"
#include "formats/core/model/derived_group.h"
#include "formats/schemas/anndata/sides.h"

namespace plainfs::anndata {

// The parts of an AnnData or MuData, which imply the sides of the matrices and tables in them.
enum class Section {
  anndata,  // the root of one
  layers,
  obsm,
  varm,
  obsp,
  varp,
  raw,
  raw_varm,
  mudata,       // the root of one
  mudata_obsm,  // its own obsm, in which members named like a modality are masks
  mudata_varm,
  frame,    // the members of a data frame
  uns,      // unstructured data
  spatial,  // in uns: slides
  slide,    // one slide of a tissue: images and scale factors
  plain,    // everything else
};

// The sides of the rows and columns of a matrix as it is stored. An expression matrix (X, layers, raw/X) is
// transposed for 10x's readers: genes in rows.
struct Axes {
  Side rows = Side::none;
  Side columns = Side::none;
  bool is_expression = false;
};

// Returns the sides of the member called name in a group of that section.
Axes axes_in(Section section, std::string_view name);
// Returns the section of the group called name in a group of section, if it has no meaning of its own.
Section section_in(Section section, std::string_view name);

// Returns node with the meaning that its own encoding or structure gives it: a data frame, a categorical, a
// nullable or awkward array, a sparse matrix, an AnnData or a MuData. Nullopt if it has none of these. node:
// a group as its container returns it. parent: the parent of the returned groups, null at the root. Throws if
// the attributes or members that decide it cannot be read.
std::optional<Node> element_of(const Node& node, const GroupPtr& parent, Context& context);

class AnnDataGroup : public DerivedGroup {
 public:
  // stored: a group with the current layout. frame: the data frame of a group of Section::frame.
  AnnDataGroup(SidesPtr sides, GroupPtr stored, Section section, GroupPtr parent,
               std::optional<frames::DataFrame> frame = {})
      : DerivedGroup(std::move(stored)),
        sides_(std::move(sides)),
        section_(section),
        parent_(std::move(parent)),
        frame_(std::move(frame)) {}

  std::vector<Member> members() const override;
  std::optional<Node> find(std::string_view name) const override;
  GroupPtr parent() const override { return parent_; }
  const Sides& sides() const { return *sides_; }
  Section section() const { return section_; }
  // Returns the group as its container returns it, or in the current layout if it was written by anndata 0.6.
  const Group& as_stored() const { return stored(); }

 private:
  Node refined(const std::string& name, Node node) const;
  Node refined_array(const std::string& name, Node node) const;
  Node refined_group(const std::string& name, Node node) const;
  std::optional<Node> link_to_coordinates() const;
  std::string path_of(const std::string& name) const;
  Axes axes_of(const std::string& name) const;
  LabelledArray labelled(ArrayPtr values, const Axes& axes, const std::string& place) const;
  SparseMatrix named(SparseMatrix matrix, const Axes& axes, const std::string& place) const;

  const SidesPtr sides_;
  const Section section_;
  const GroupPtr parent_;
  // Opened once: its attributes name all columns, and every column is a member.
  const std::optional<frames::DataFrame> frame_;
};

}  // namespace plainfs::anndata
