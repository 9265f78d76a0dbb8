// Parsers of option values. Each throws Failure(kUsage), with the name of the option, for an invalid value.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace plainfs {

uint64_t integer(std::string_view name, std::string_view text, uint64_t most);
// Parses an octal mode.
mode_t mode(std::string_view name, std::string_view text);
// Parses "512m": bytes, with k, m, g or t for powers of 1024; "kb" and "KiB" also work.
uint64_t byte_size(std::string_view name, std::string_view text);
// For uid and gid: a number or a name.
uid_t user(std::string_view text);
gid_t group(std::string_view text);
// For index and remote_cache: an absolute path. Returns empty for "none".
std::string own_folder(std::string_view text);
double seconds(std::string_view name, std::string_view text);
std::string one_of(std::string_view name, std::string_view text,
                   std::initializer_list<std::string_view> allowed);
// Returns the content of the file at `path`.
std::string option_file(std::string_view name, const std::string& path, uint64_t max_bytes);

}  // namespace plainfs
