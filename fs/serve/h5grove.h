// What H5Web asks of a server to show a store, as h5grove 4 answers it (its Python package is the reference:
// github.com/silx-kit/h5grove, src/h5grove/{content,encoders,utils}.py): four questions, of a store by its
// path below the address, which are answered by the store's own groups and arrays, whatever their format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fs/serve/asked.h"

namespace plainfs::serve {

// "/TOKEN/.plainfs/h5grove" is the URL that H5Web's H5GroveProvider is given.
inline constexpr std::string_view kH5Folder = "h5grove";

// Whether it is under that URL. Errors of such are JSON: {"message": …}.
bool asks_h5grove(std::string_view target);
// Where asked is such a question: its question and its names, from then on those of its store, are set.
void take_h5_question(Asked& asked);
// The file that H5Web is to ask for to be shown the store at a path of the site.
std::string h5_file(const Site& site, const std::vector<std::string>& names);

// Requires: asked.h5_question is not empty. Throws Error.
void answer_h5grove(const Asked& asked);

}  // namespace plainfs::serve
