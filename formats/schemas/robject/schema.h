// R objects in files: vectors, factors, data frames, lists, matrices of the package Matrix, Seurat objects,
// SingleCellExperiments, BPCells objects. A Seurat object has the tree of h5Seurat, a SingleCellExperiment
// that of a takane experiment, by name. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/containers/rds/value.h"
#include "formats/core/model/store.h"

namespace plainfs::robject {

// Returns the root of an R file as the node of its value. The members already have their meaning and are
// unchanged. Nullopt for any other node.
std::optional<Node> refine(const Node& node, Context& context);

// Returns the R value that a directory shows; null if it shows a part of one, or no R value.
rds::ValuePtr value_of(const Group& directory);

// Returns a reduced dimension of a SingleCellExperiment; null if it has none of that name.
rds::ValuePtr reduced_dimension(const rds::Value& experiment, std::string_view name);

// Returns the attributes of a vector that hold data, except its names, dimensions and class, as nodes.
std::vector<Member> attribute_nodes(const rds::Value& vector, Context& context);

// Returns a vector of R with its missing values marked: numbers in R's own types, text, or raw bytes.
// Requires: is_vector().
ArrayPtr elements_of(const rds::Value& vector);

// Adds the object's class, and the contents of a Seurat object or an experiment.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::robject
