// Instructions to open the subject of a page in other programs: lines for R, Python and the shell, and links
// to viewers that read it from here.
#pragma once

#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/text/json.h"
#include "fs/serve/pages/model/subject.h"

namespace plainfs::serve {

// The forms, the contents and the programs that a page offers of its subject, in several sections.
struct Offers {
  std::vector<TakeAs> views;
  Contents contents;
  OpenWithLines open_with;
};

// Returns whether it is known that programs cannot read the file at an address relative to the page: the file
// cannot be generated, or it is empty.
bool has_no_reader(const Offers& offers, const std::string& href);

// Adds lines with the addresses under which the client reached the page. Requires: offers has the views and
// the contents.
void add_instructions(const Exchange& exchange, const Subject& subject, Offers& offers);

// Adds programs that read the store's own files from .plainfs/source/. For an image, these are links that
// open vizarr and Avivator, and lines for napari and Fiji. Requires: the subject is the root of a store.
void add_source_instructions(const Exchange& exchange, const Subject& subject, Offers& offers);

// Returns a link that opens Vitessce on an annotated matrix, which is served as anndata.zarr/ at
// `zarr_address`, with the configuration in the link. Returns nullopt if the cells have no positions.
std::optional<TakeAs> vitessce_link(const AnnotatedMatrix& matrix, const std::string& zarr_address);

// Returns a link that opens the IGV web app on fragments. Its session is the page of their folder with
// ?igv=….
TakeAs igv_link(const std::string& folder_address);
// Returns that session in igv.js's form, for the fragments.tsv.gz at `address`.
Json igv_session(const std::string& address);

}  // namespace plainfs::serve
