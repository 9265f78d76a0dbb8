// Names as Seurat wants them.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

// R's make.unique(): of names that come again the later ones with .1, .2, … behind, numbers that are taken
// skipped.
std::vector<std::string> made_unique(std::vector<std::string> names);

// Gives each empty name, which Seurat refuses, the first of X, X.1, X.2, … that no name is.
std::vector<std::string> without_empty_names(std::vector<std::string> names);

// The features of an assay as CreateAssayObject calls them: unique, _ and | as -, and unique again, which it
// leaves out; none is empty.
std::vector<std::string> feature_names(std::vector<std::string> stored);

// Logs how many names are others than those that are stored, if any, with an example. what: "cells".
void note_renamed(const char* what, const std::vector<std::string>& stored,
                  const std::vector<std::string>& made, Context& context);

// The names of cells as CreateSeuratObject makes them unique, none empty; logs it if any had to be changed.
// Reads all. Throws unsupported if there are too many to be told apart.
ArrayPtr cell_names(const ArrayPtr& cells, Context& context);

// The key of an assay or a reduction: the name's letters and digits from the first letter on (of an assay in
// lower case) and _.
std::string assay_key(const std::string& name);
std::string reduction_key(const std::string& name);
// The same of a key as an object has it, which an old version of Seurat may have written; "" where nothing of
// it may stand in a key.
std::string valid_key(const std::string& stored);

// R's make.names() of one name, as [[<- calls reductions and graphs: letters, digits, . and _ alone, and no
// digit or _ at the beginning.
std::string made_name(std::string name);

// Names as text: numbers as a .csv spells them, a missing one NA. Measures them.
ArrayPtr spelled(ArrayPtr names, Context& context);

// prefix and a number: of one dimension after the other, or of rows that have no names.
ArrayPtr numbered_names(std::string prefix, uint64_t first, uint64_t count);

// Whether they are the same texts in the same order; reads all.
bool are_same_texts(const Array& a, const Array& b, Context& context);

// All of them in memory; throws unsupported where that would be more than half of the cache.
std::vector<std::string> held_texts(const Array& texts, const char* what, Context& context);

// What CreateSeuratObject makes of the names of cells: a factor of what stands before the first _, or of
// project alone where that tells no groups (more than 100, or as many as cells). Throws unsupported if there
// are no cells.
ArrayPtr identities(const ArrayPtr& cells, const std::string& project, Context& context);
// The same factor, of project alone.
ArrayPtr one_identity(const std::string& project, uint64_t cells, Context& context);

}  // namespace plainfs
