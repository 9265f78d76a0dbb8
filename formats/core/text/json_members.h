// Members of JSON objects, which a reader requires to be of a certain kind.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "formats/core/text/json.h"

namespace plainfs {

// Each of these throws damaged, with the name of the member, if it is missing or of another kind.
const Json& required(const Json& object, std::string_view name);
std::string required_text(const Json& object, std::string_view name);
bool required_flag(const Json& object, std::string_view name);
uint64_t required_count(const Json& object, std::string_view name);
// Calls `use` with each item of a list.
void for_each_required(const Json& object, std::string_view name,
                       const std::function<void(const Json&)>& use);

// Calls `use` with each item of a list. Unpacks few items of a packed list at once, however many it has.
// Requires: list.is_list().
void for_each_item(const Json& list, const std::function<void(const Json&)>& use);

// Returns the text of a member; "" if it is missing or another kind of value.
std::string optional_text(const Json& object, std::string_view name);
// Returns the beginning of the value as JSON, for a message.
std::string start_of_json(const Json& value);

}  // namespace plainfs
