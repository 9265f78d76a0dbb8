// An image with its channels, planes, contrast and region chosen in the address.
#pragma once

#include "fs/native/picture.h"
#include "fs/serve/asked.h"
#include "fs/serve/page_model.h"
#include "fs/serve/query.h"

namespace plainfs::serve {

// Returns what an address asks for: c=0,2 the channels, z, t, min and max the values that are dark and
// bright, x, y, w and h a region in pixels of the largest level, size the least side of the level. What the
// image does not have is left out, and becomes a problem. Requires: no error of the image.
ImageChoice image_choice(const Query& query, const Image& image, std::vector<Problem>& problems);

// Adds the picture of an image and the form and links that choose it.
void add_image(const Query& query, const Image& image, PageModel& page);

// Answers for preview.png with a query; false if the place is no such file, or there is no query. Throws
// not_found for what the image does not have.
bool answer_image(const Asked& asked, const Site::Place& place);

}  // namespace plainfs::serve
