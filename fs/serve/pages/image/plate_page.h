// A plate as a grid of its wells, and a well as its fields: thumbnails that the browser requests one by one.
#pragma once

#include <optional>
#include <string>

#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/pages/model/subject.h"
#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

// Adds the wells of a plate, or the fields of a well, with a form for their channels and contrast, which are
// the same for all of them. Returns false if the subject is neither. Opens few of the images.
bool add_plate(const Exchange& exchange, const Subject& subject, PageModel& page);

// Returns "A1, field 0" for an image that is a field of a well.
std::optional<std::string> field_title(const Subject& subject);

// Answers ?thumbnail of an image, or of a well with its field ?field=: a PNG of at most ?side= pixels a side,
// with the parts of a query that image_choice() takes. Returns false for other places and queries. Throws
// InvalidQuery for parts that do not exist in the image.
bool answer_image_thumbnail(const Exchange& exchange, const Site::Place& place);

}  // namespace plainfs::serve
