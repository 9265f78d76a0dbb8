#include "formats/containers/hdf5/fill_element.h"

#include <algorithm>
#include <cstring>

namespace plainfs::hdf5 {

FillElement::FillElement(DatasetPlace place) : place_(std::move(place)) {}

Bytes FillElement::at(const Shape& origin) const {
  read_.call([&] {
    Bytes element(place_.element_size);
    const Shape ones(origin.size(), 1);
    place_.file->library().read(place_.address, place_.element_size, {origin, ones}, ones,
                                Shape(origin.size(), 0), element.data());
    element_ = std::move(element);
  });
  return Bytes(element_.begin(), element_.end());
}

Bytes FillElement::repeated(const Shape& origin, Bytes block) const {
  const Bytes element = at(origin);
  std::memcpy(block.data(), element.data(), place_.element_size);
  for (size_t done = place_.element_size; done < block.size(); done *= 2)
    std::memcpy(block.data() + done, block.data(), std::min(done, block.size() - done));
  return block;
}

}  // namespace plainfs::hdf5
