// Stores inside a compressed file or a tar archive, opened in place: containers see only what is inside.
//
// A compressed file has one file inside, named without the ending of the compression: "x.h5ad.gz/x.h5ad". Its
// content is passed over once, which verifies the checksum and finds the places at which decompression can
// resume (formats/core/unpacked). An archive, compressed or not, has its members inside.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/core/base/probe.h"
#include "formats/core/model/context.h"
#include "formats/core/text/json.h"

namespace plainfs {

// Returns the name of what is inside a compressed file of this name: without its ending.
std::string name_inside(std::string_view name);

// Returns whether what probe has found is a tar archive that is not compressed. No container is asked about
// it.
bool is_archive(const Probe& probe);
// Returns whether what probe has found is a store, or wraps one or an archive.
bool is_store(const Probe& probe);
// Returns whether what probe has found is a directory in a mirrored folder.
bool is_store_in_folder(const Probe& probe);
// Returns whether there is a store, wrapped or not, at a path of this machine.
bool is_store_on_host(const std::string& path);
// Returns whether the first bytes of what probe has found guarantee that it can be opened. See
// Container::is_sure_to_open.
bool is_sure_to_open(const Probe& probe);

// The content of a wrapping.
struct Unwrapped {
  std::string location;  // of the file inside; of an archive, that of the archive
  bool is_archive = false;
  Json::Object details{};  // of the wrapping and its cost, for .plainfs/info.json
};

// Makes what is inside the file that probe has found available in context.files. Returns nullopt if the file
// is no wrapping. Throws damaged if its content does not decompress or has the wrong checksum, unsupported if
// it cannot be read in place.
std::optional<Unwrapped> unwrap(const Probe& probe, Context& context);

// Makes a location inside of wrappings available in context.files, if it is one.
void unwrap_around(const std::string& location, Context& context);

}  // namespace plainfs
