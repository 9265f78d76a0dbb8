// Values that readers of R objects make.
#pragma once

#include <memory>

#include "formats/containers/rds/value.h"

namespace plainfs::rds {

// Returns a new value of this type.
std::shared_ptr<Value> value_of(RType type);

// Returns the shared NULL value: most items of a stream are NULL.
const ValuePtr& nothing();

// The kinds of values without data. All values of a kind share one object, which has the kind as its name.
enum class Alien { unknown, function, environment, pointer, language };
const ValuePtr& no_data(Alien kind = Alien::unknown);

// Adds the names of the items to a list, as its last attribute.
void add_names(Value& list, TextBuilder& names);

// Returns the variables of an environment as a list, sorted by name. frame: a pairlist. table: a list of
// pairlists by the hash of their names. Throws damaged if they are not.
std::shared_ptr<Value> list_of_variables(const ValuePtr& frame, const ValuePtr& table);

}  // namespace plainfs::rds
