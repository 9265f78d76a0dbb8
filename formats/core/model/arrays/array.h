// An n-dimensional array of a store. It is immutable and thread-safe. Shape and order are as stored (C
// order). If column_major() is true, users see the dimensions reversed over the same bytes, as R's stores
// define them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include "formats/core/base/error.h"
#include "formats/core/model/elements/attribute.h"
#include "formats/core/model/elements/dtype.h"
#include "formats/core/model/elements/elements.h"

namespace plainfs {

using Shape = std::vector<uint64_t>;  // elements along each axis; empty = rank 0, one element

// Returns the product of the axes. Throws Error(damaged) over 2^64.
uint64_t element_count(std::span<const uint64_t> shape);

// A rectangular part: origin[d] <= i < origin[d] + extent[d] on each axis d.
struct Box {
  Shape origin;
  Shape extent;
};
Box whole(const Shape& shape);
Box range(uint64_t first, uint64_t count);  // of a rank-1 array
// Throws damaged if `box` is not inside `shape`.
void check_inside(const Box& box, const Shape& shape);

class Array {
 public:
  Array(DType dtype, Shape shape, bool column_major = false)
      : dtype_(std::move(dtype)), shape_(std::move(shape)), column_major_(column_major) {}
  virtual ~Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  const DType& dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  bool column_major() const { return column_major_; }
  uint64_t count() const { return element_count(shape_); }

  // Returns the extent of a typical chunk, with the rank of shape: a hint that whole chunks are the cheapest
  // reads.
  virtual Shape chunk_shape() const { return shape_; }

  // Returns the elements of `box` in C order. Requires: the box lies inside shape(). Throws Error if any
  // element cannot be read or the box is not inside after all. Never returns a short or guessed result.
  virtual Elements read(const Box& box) const = 0;

  // Reads the elements of `box` into `out` if that saves a copy. `out` has their size and is aligned for one
  // element. Returns false, with `out` unchanged, if it saves none. After an exception the content of `out`
  // is undefined.
  virtual bool read_into(const Box&, std::span<std::byte>) const { return false; }

  // Returns whether the numbers of a rank-1 array rise strictly within each run and are below `limit`. The
  // first run begins at `first`, each further run at the end of the one before it. Returns nullopt if
  // checking is no cheaper than reading the numbers. Requires: `ends` do not decrease and lie within the
  // array. Throws what read throws.
  virtual std::optional<bool> runs_rise(uint64_t /*first*/, std::span<const uint64_t> /*ends*/,
                                        uint64_t /*limit*/) const {
    return std::nullopt;
  }

  // Reads `box` like read(), for a caller that may need nothing else near it. Decodes little more than the
  // box if possible.
  virtual Elements peek(const Box& box) const { return read(box); }

  // Returns the single element that all elements of the box are equal to, if that is known without generating
  // them (absent chunks); else nullopt. Requires a box that is not empty. Throws what read throws.
  virtual std::optional<Elements> repeated(const Box&) const { return std::nullopt; }

  // Reports that a reader that goes through the array once, in C order, has passed the box. Data that are
  // kept only for another read may be dropped. A wrong report costs time and nothing else.
  virtual void release(const Box&) const {}

  // Throws the Error that makes the whole array unreadable, if one is known. Views call it before they show a
  // shape or a header. May read a little. Does nothing if only parts can be damaged.
  virtual void check() const {}

  // Returns false if it is known without a read that no element is missing.
  virtual bool may_be_missing() const { return true; }

  // Returns whether the store has a mask for the elements, even if none is missing.
  virtual bool is_nullable() const { return false; }

  // Returns the array with the elements that decide the type of this one in files of other programs. For the
  // cells of one level this is the column that contains them. It lives as long as this array.
  virtual const Array& whole_column() const { return *this; }

  // Returns whether this is a null dataspace (HDF5), which has no element and no shape. Views show an empty
  // file and no .npy.
  virtual bool is_null() const { return false; }

  virtual Attributes attributes() const { return {}; }

  // Returns the survey of this type, or null if none was made. A survey is the result of a pass over all
  // elements, in a type of its own (TextLengths). It is computed once for all files that show the array and
  // kept as long as the array. key: distinguishes surveys of one type. Thread-safe.
  template <class Survey>
  std::shared_ptr<const Survey> known_survey(uint64_t key = 0) const {
    return std::static_pointer_cast<const Survey>(find_survey(typeid(Survey), key));
  }
  // Returns the known survey, or the result of make(). If two threads make one at the same time, the first
  // result is kept. Throws what make throws. Thread-safe.
  template <class Survey, class Make>
  std::shared_ptr<const Survey> survey(uint64_t key, Make&& make) const {
    if (std::shared_ptr<const Survey> known = known_survey<Survey>(key)) return known;
    return std::static_pointer_cast<const Survey>(
        keep_survey(typeid(Survey), key, std::make_shared<const Survey>(make())));
  }

 private:
  struct Surveys;

  std::shared_ptr<const void> find_survey(std::type_index type, uint64_t key) const;
  std::shared_ptr<const void> keep_survey(std::type_index type, uint64_t key,
                                          std::shared_ptr<const void> generated) const;

  DType dtype_;
  Shape shape_;
  bool column_major_;
  mutable std::shared_ptr<Surveys> surveys_;  // null in most; guarded by one lock for all arrays
};

using ArrayPtr = std::shared_ptr<const Array>;

// Returns all elements of an array. For names, levels and other lists that are needed whole.
Elements read_all(const Array& array);

// An array of elements in memory.
class MemoryArray : public Array {
 public:
  MemoryArray(DType dtype, Shape shape, Elements elements, Attributes attributes = {},
              bool column_major = false);
  Elements read(const Box& box) const override;
  bool may_be_missing() const override { return !elements_.missing.empty(); }
  Attributes attributes() const override { return attributes_; }

 private:
  Elements elements_;
  Attributes attributes_;
};
ArrayPtr text_array(const std::vector<std::string>& values);
// Returns an array of the type of the numbers: int64_t, double. shape: has as many elements.
template <class Number>
ArrayPtr number_array(const std::vector<Number>& values, Shape shape) {
  constexpr Kind kKind = std::is_floating_point_v<Number> ? Kind::real
                         : std::is_signed_v<Number>       ? Kind::integer
                                                          : Kind::unsigned_integer;
  const DType type = number_type(kKind, sizeof(Number));
  Elements elements = zero_elements(type, values.size());
  std::copy(values.begin(), values.end(), elements.mutable_values<Number>().begin());
  return std::make_shared<MemoryArray>(type, std::move(shape), std::move(elements));
}
template <class Number>
ArrayPtr number_array(const std::vector<Number>& values) {
  return number_array(values, {values.size()});
}

// An array that throws the same Error on every use: a member that is listed but cannot be read.
class BrokenArray : public Array {
 public:
  BrokenArray(DType dtype, Error error) : Array(std::move(dtype), {0}), error_(std::move(error)) {}
  Elements read(const Box&) const override { throw error_; }
  void check() const override { throw error_; }

 private:
  Error error_;
};

// Copies a box between two dense C-order blocks. `source` has shape source_shape; its source_box is copied to
// target_origin in `target`, of shape target_shape. Both buffers have their full size. Only for kinds of
// fixed size; Assembly in assembly.h handles the others.
void copy_box(uint64_t element_size, const std::byte* source, const Shape& source_shape,
              const Box& source_box, std::byte* target, const Shape& target_shape,
              const Shape& target_origin);

}  // namespace plainfs
