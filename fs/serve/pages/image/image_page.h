// An image with channels, planes, contrast and region chosen in the address.
#pragma once

#include "fs/serve/http/query.h"
#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/site/exchange.h"
#include "fs/views/images/picture.h"

namespace plainfs::serve {

// Returns the choice that a query makes: c=0,2 or c=DAPI,GFP the channels, z, t, min and max the values shown
// dark and bright in all channels, min0 and max0 in channel 0, x, y, w and h a region in pixels of the
// largest level, size the least side of the level. Parts that do not exist in the image are ignored and
// become problems. Requires: image has no error.
ImageChoice image_choice(const Query& query, const Image& image, std::vector<Problem>& problems);

// Returns the parts of a query that choose a picture.
Query picture_query(const Query& query);
// Returns the query with the contrast of each channel shown, if it is given or the image states it.
Query with_contrast(const Query& query, const Image& image, const ImageChoice& choice);
// Returns "Dark to bright: DAPI from 150 to 3,000". own: of which a channel without a contrast takes the
// percentiles.
std::string contrast_text(const Image& image, const ImageChoice& choice, const std::string& own);
// Returns the form that chooses channels, planes and contrast. It keeps the other parts of the query.
Form image_form(const Query& query, const Image& image, const ImageChoice& choice);

// The longest side of a thumbnail, and of a part of an image that is too large for preview.png.
inline constexpr uint64_t kMaxThumbnailSide = 1024;

// Returns the middle of an image, at most kMaxThumbnailSide pixels of its smallest level a side.
ImageChoice::Region middle_of(const Image& image);

// Adds the picture of an image, and the form and links that choose it: its middle with a note if all levels
// are too large. Requires: its pixels have a brightness.
void add_image(const Query& query, const Image& image, PageModel& page);

// Answers preview.png with a query. Returns false if the place is no such file or there is no query. Throws
// InvalidQuery for parts that do not exist in the image.
bool answer_image(const Exchange& exchange, const Site::Place& place);
// Generates the preview.png at `place`, so that its size is known, within the budget of all clients.
void make_picture(const Exchange& exchange, const Site::Place& place);

}  // namespace plainfs::serve
