// The files in which AWS's tools keep profiles: ~/.aws/credentials and ~/.aws/config.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace plainfs::remote {

// name → value
using Profile = std::map<std::string, std::string>;

// "" where it has none of that name.
std::string value_of(const Profile& profile, const std::string& name);

// By the name in brackets, "profile " in front of it left out as in ~/.aws/config. What is indented below a
// name without a value is its own, and left out. Lines that say nothing are passed over, as AWS's tools do.
std::map<std::string, Profile> parse_profiles(std::string_view text);

}  // namespace plainfs::remote
