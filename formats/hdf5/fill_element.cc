#include "formats/hdf5/fill_element.h"

#include <algorithm>
#include <cstring>

namespace plainfs::hdf5 {

FillElement::FillElement(DatasetOpener opener, uint64_t element_size)
    : opener_(std::move(opener)),
      stored_bytes_(stored_bytes_type(element_size)),
      element_size_(element_size) {}

Bytes FillElement::at(const Shape& origin) const {
  std::call_once(read_, [&] {
    const auto dataset = opener_.open();
    Bytes element(element_size_);
    std::memset(element.data(), 0, element.size());  // what it stays where no fill value is defined
    const Shape ones(origin.size(), 1);
    const LibraryLock lock;
    dataset->read(stored_bytes_.id(), {origin, ones}, ones, Shape(origin.size(), 0), element.data());
    element_ = std::move(element);
  });
  return Bytes(element_.begin(), element_.end());
}

Bytes FillElement::repeated(const Shape& origin, Bytes block) const {
  const Bytes element = at(origin);
  std::memcpy(block.data(), element.data(), element_size_);
  for (size_t done = element_size_; done < block.size(); done *= 2)
    std::memcpy(block.data() + done, block.data(), std::min(done, block.size() - done));
  return block;
}

}  // namespace plainfs::hdf5
