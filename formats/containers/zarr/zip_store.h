// A zip file as a KeyStore. Where the archive holds one folder and nothing beside it, keys are taken inside
// that folder. What is read is counted in Context::counters.
#pragma once

#include <memory>

#include "formats/containers/zarr/zip.h"
#include "formats/core/base/key_store.h"
#include "formats/core/model/context.h"

namespace plainfs::zarr {

// directory: of that file.
KeyStorePtr open_zip_store(FilePtr file, std::shared_ptr<const ZipDirectory> directory, Context& context);

}  // namespace plainfs::zarr
