// A folder of a zip file as a KeyStore. What is read is counted in Context::counters.
#pragma once

#include <memory>

#include "formats/containers/zarr/zip.h"
#include "formats/core/base/key_store.h"
#include "formats/core/model/context.h"

namespace plainfs::zarr {

// directory: of that file. folder: of the store in the archive, "" or "NAME/".
KeyStorePtr open_zip_store(FilePtr file, std::shared_ptr<const ZipDirectory> directory, std::string folder,
                           Context& context);

}  // namespace plainfs::zarr
