// Instructions to open the subject of a page in other programs: lines for R, Python and the shell, and links
// to viewers that read it from here.
#pragma once

#include "formats/core/model/annotated_matrix.h"
#include "formats/core/text/json.h"
#include "fs/serve/pages/model/subject.h"

namespace plainfs::serve {

// Returns whether the page knows that programs cannot read the file at an address relative to it: the file
// cannot be generated, or it is empty.
bool has_no_reader(const PageModel& page, const std::string& href);

// Adds lines with the addresses under which the client reached the page. Requires: the page has its forms and
// contents.
void add_instructions(const Exchange& exchange, const Subject& subject, PageModel& page);

// Adds programs that read the store's own files from .plainfs/source/. For an image, these are links that
// open vizarr and Avivator, and lines for napari and Fiji. Requires: the subject is the root of a store.
void add_source_instructions(const Exchange& exchange, const Subject& subject, PageModel& page);

// Returns a link that opens Vitessce on an annotated matrix, which is served as anndata.zarr/ at
// `zarr_address`, with the configuration in the link. Returns nullopt if the cells have no positions.
std::optional<TakeAs> vitessce_link(const AnnotatedMatrix& matrix, const std::string& zarr_address);

// igv_link returns a link that opens the IGV web app on fragments. Its session is the page of their folder
// with ?igv=…. igv_session returns that session in igv.js's form, for the fragments.tsv.gz at `address`.
TakeAs igv_link(const std::string& folder_address);
Json igv_session(const std::string& address);

}  // namespace plainfs::serve
