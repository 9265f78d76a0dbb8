// The lists that an object's file has to contain. Each function throws damaged if the list is absent, of more
// than one dimension, or of another kind.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/core/text/json.h"
#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

ArrayPtr require_list(const Group& group, const char* name);
ArrayPtr require_integers(const Group& group, const char* name);
// Returns texts in takane's sense. Using them throws damaged if one is missing.
ArrayPtr require_texts(const Group& group, const char* name);

// Throws damaged unless list has count elements.
void require_count(const Array& list, uint64_t count, const char* name);

// A folder of objects called 0, 1, … with their names in names.json: assays, reduced dimensions, experiments.
// The objects are listed under their numbers. Each also has a link with its name, and a link NAME.csv to its
// table or array. Source: takane 0.10.0, include/takane/utils_summarized_experiment.hpp.

// Returns whether the folder at place has a names.json.
bool is_named_list(const ObjectPlace& place, Context& context);
// Opens the list. sides: the names that its items get.
GroupPtr open_named_list(const ObjectPlace& place, const SideNames& sides, Context& context);

// Returns the names of the items in order, to describe a list; empty if they cannot be read.
std::vector<std::string> names_of_list(const std::string& directory, Context& context);

// The JSON of a simple_list, stored gzip-compressed and shown decompressed (list_contents.json.gz as
// list_contents.json).

// Returns the decompressed text. Throws damaged if it is not a gzip stream, or larger than plainfs's limit.
Bytes read_json_gz(const std::string& path, Context& context);
// Returns a member called name without ".gz". It is decompressed on first read.
Member json_gz_member(const std::string& path, const std::string& name, Context& context);

// The JSON form of a simple_list. Source: uzuki2 2.0.0, docs/specifications/json (versions 1.0 to 1.2).

// Returns the number of elements of a list document. Throws damaged, with the place ("values[0].values[1]"),
// if any part of it violates the format.
uint64_t check_json_list(const Json& document);

}  // namespace plainfs::takane
