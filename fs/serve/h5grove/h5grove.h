// The requests with which H5Web shows a store, answered like h5grove 4 (its Python package is the reference:
// github.com/silx-kit/h5grove, src/h5grove/{content,encoders,utils}.py). There are four kinds of requests.
// Each names a store by its path below the address, and is answered from the store's own groups and arrays in
// any format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

// H5Web's H5GroveProvider is given the URL "/TOKEN/.plainfs/h5grove".
inline constexpr std::string_view kH5Folder = "h5grove";

// Returns whether the target is under that URL. Errors there are JSON: {"message": …}.
bool asks_h5grove(std::string_view target);
// If `exchange` is an h5grove request, sets its question, and sets its names to those of the store in
// question.
void take_h5_question(Exchange& exchange);
// Returns the file name that H5Web must request for the store at a path of the site.
std::string h5_file(const Site& site, const std::vector<std::string>& names);

// Answers an h5grove request. Requires: exchange.h5_question is not empty. Throws Error.
void answer_h5grove(const Exchange& exchange);

}  // namespace plainfs::serve
