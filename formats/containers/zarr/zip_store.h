// A folder of a zip file as a KeyStore. Reads are counted in Context::counters.
#pragma once

#include <memory>

#include "formats/containers/zarr/zip.h"
#include "formats/core/base/key_store.h"
#include "formats/core/model/context.h"

namespace plainfs::zarr {

// Opens folder ("" or "NAME/") of the archive as a store. directory: of file.
KeyStorePtr open_zip_store(FilePtr file, std::shared_ptr<const ZipDirectory> directory, std::string folder,
                           Context& context);

}  // namespace plainfs::zarr
