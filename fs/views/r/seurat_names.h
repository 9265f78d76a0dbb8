// Names as Seurat requires them.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

// Returns the names after R's make.unique(): later duplicates get .1, .2, and so on; numbers that are taken
// are skipped.
std::vector<std::string> made_unique(std::vector<std::string> names);

// Replaces each empty name, which Seurat refuses, by the first of X, X.1, X.2, ... that is not taken.
std::vector<std::string> without_empty_names(std::vector<std::string> names);

// Returns the feature names that CreateAssayObject generates: unique, with _ and | as -. They are then made
// unique again, which CreateAssayObject omits. None is empty.
std::vector<std::string> feature_names(std::vector<std::string> stored);

// Logs how many names differ from the stored ones, if any, with an example. what: "cells".
void note_renamed(const char* what, const std::vector<std::string>& stored,
                  const std::vector<std::string>& generated, Context& context);

// Returns the cell names that CreateSeuratObject generates: unique and not empty. Logs if any had to be
// changed. Reads all names. Throws unsupported if there are too many to make unique.
ArrayPtr cell_names(const ArrayPtr& cells, Context& context);

// Return the key of an assay or a reduction: the name's letters and digits from the first letter on (in lower
// case for an assay) and _.
std::string assay_key(const std::string& name);
std::string reduction_key(const std::string& name);
// Returns a stored key in the valid form, because an old version of Seurat may have written it; "" if none of
// its characters are allowed in a key.
std::string valid_key(const std::string& stored);

// Returns one name after R's make.names(), which [[<- applies to reductions and graphs: only letters, digits,
// . and _, without a leading digit or _.
std::string valid_name(std::string name);

// Returns names as text: numbers as in a .csv, a missing one as NA. Measures them.
ArrayPtr spelled(ArrayPtr names, Context& context);

// Returns whether both contain the same texts in the same order. Reads all.
bool are_same_texts(const Array& a, const Array& b, Context& context);

// Reads all texts into memory. Throws unsupported if they take more than half of the cache.
std::vector<std::string> held_texts(const Array& texts, const char* what, Context& context);

// Returns the factor that CreateSeuratObject derives from cell names: the text before the first _, or
// `project` for all cells if that does not form groups (more than 100, or as many as cells). Throws
// unsupported if there are no cells.
ArrayPtr identities(const ArrayPtr& cells, const std::string& project, Context& context);
// Returns the factor with `project` for all cells.
ArrayPtr one_identity(const std::string& project, uint64_t cells, Context& context);

}  // namespace plainfs
