// A store with a root that is an AnnData of the members of that group.
#pragma once

#include "formats/schemas/anndata/group.h"
#include "tests/support/memory_store.h"

namespace plainfs {

inline std::shared_ptr<const Store> memory_anndata(const std::shared_ptr<MemoryGroup>& members,
                                                   Context& context) {
  return memory_store(std::make_shared<anndata::AnnDataGroup>(
      std::make_shared<anndata::Sides>(members, context), members, anndata::Section::anndata, nullptr));
}

}  // namespace plainfs
