// The lists that an object's file has to hold. Each throws damaged where it is absent, of more than one
// dimension, or of another kind.
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
// Texts as takane reads them, none of which is missing.
ArrayPtr require_texts(const Group& group, const char* name);

// Throws damaged where list has not count elements.
void require_count(const Array& list, uint64_t count, const char* name);

// A folder of objects called 0, 1, … whose names are in names.json: assays, reduced dimensions, experiments.
// The objects stand under their numbers; each has a link of its name as well, and a link NAME.csv to its
// table or array. Source: takane 0.10.0, include/takane/utils_summarized_experiment.hpp.

// Whether there is a names.json and no OBJECT.
bool is_named_list(const ObjectPlace& place, Context& context);
// sides: what its items are given.
GroupPtr open_named_list(const ObjectPlace& place, const SideNames& sides, Context& context);

// The names of the items in order, for describing a list; empty where they cannot be read.
std::vector<std::string> names_of_list(const std::string& directory, Context& context);

// The JSON of a simple_list, stored gzip-compressed and shown inflated (list_contents.json.gz as
// list_contents.json).

// The inflated text. Throws damaged where it is no gzip stream or larger than plainfs is willing to hold.
Bytes read_json_gz(const std::string& path, Context& context);
// name without ".gz", whose content is inflated when it is first read.
Member json_gz_member(const std::string& path, const std::string& name, Context& context);

// The JSON form of a simple_list. Source: uzuki2 2.0.0, docs/specifications/json (versions 1.0 to 1.2).

// The number of elements of a list document. Throws damaged, with the place ("values[0].values[1]"), where it
// or anything in it is not what the format asks for.
uint64_t check_json_list(const Json& document);

}  // namespace plainfs::takane
