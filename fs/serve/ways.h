// How what a page is about is opened elsewhere: lines for R, Python and the shell, and links to viewers that
// read it from here.
#pragma once

#include "formats/core/model/annotated_matrix.h"
#include "formats/core/text/json.h"
#include "fs/serve/subject.h"

namespace plainfs::serve {

// Lines with the addresses that the client has reached the page by.
void add_ways(const Asked& asked, const Subject& subject, PageModel& page);

// Adds what reads the store's own files from .plainfs/source/: of an image links that open vizarr and
// Avivator, and lines for napari and Fiji. Requires: the subject is the root of a store.
void add_source_ways(const Asked& asked, const Subject& subject, PageModel& page);

// A link that opens Vitessce on an annotated matrix as anndata.zarr/ at that path, its configuration in the
// address; nullopt where it has nothing to be placed by.
std::optional<TakeAs> vitessce_link(const AnnotatedMatrix& matrix, const std::string& zarr_address);

// A link that opens the IGV web app on fragments, whose session is the page of their folder with ?igv=…; and
// that session, as igv.js takes it, of fragments.tsv.gz at an address.
TakeAs igv_link(const std::string& folder_address);
Json igv_session(const std::string& address);

}  // namespace plainfs::serve
