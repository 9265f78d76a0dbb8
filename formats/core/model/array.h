// An n-dimensional array of a store: immutable and safe to read from any thread once it is made. Shape and
// order are as stored (C order); column_major() says that users are to see the dimensions reversed over the
// same bytes, as R's stores mean them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "formats/core/base/error.h"
#include "formats/core/model/attribute.h"
#include "formats/core/model/dtype.h"
#include "formats/core/model/elements.h"

namespace plainfs {

using Shape = std::vector<uint64_t>;  // elements along each axis; empty = rank 0, one element

// Product of the axes; throws Error(damaged) over 2^64.
uint64_t element_count(std::span<const uint64_t> shape);

// A rectangular part: origin[d] <= i < origin[d] + extent[d] on each axis d.
struct Box {
  Shape origin;
  Shape extent;
};
Box whole(const Shape& shape);
Box range(uint64_t first, uint64_t count);  // of a rank-1 array
// Throws damaged where box is not inside shape.
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

  // The extent of a typical chunk, same rank as shape: a hint that whole chunks are the cheapest reads.
  virtual Shape chunk_shape() const { return shape_; }

  // The elements of the box in C order. Requires: the box lies inside shape().
  // Throws Error where any of them cannot be had, or where the box is not inside after all; never a short or
  // a guessed result.
  virtual Elements read(const Box& box) const = 0;

  // The same into out, which is as long as they are and aligned for one of them, where that saves a copy;
  // else false, and out is as it was. What is written before it throws is anything.
  virtual bool read_into(const Box&, std::span<std::byte>) const { return false; }

  // Of an array of rank 1, in runs that each begin where the one before ends and the first of them at
  // `first`: whether in each run every number is above the one before it, and below limit; nullopt where it
  // is no cheaper to tell than to read them. Requires: ends do not fall, and lie within the array. Throws as
  // read does.
  virtual std::optional<bool> runs_rise(uint64_t /*first*/, std::span<const uint64_t> /*ends*/,
                                        uint64_t /*limit*/) const {
    return std::nullopt;
  }

  // As read(), for a reader who may want nothing else near it: decodes little more than the box where it can.
  virtual Elements peek(const Box& box) const { return read(box); }

  // The one element that all elements of the box are equal to, where that is known without making them
  // (absent chunks); nullopt where it is not. Requires a box that is not empty; throws as read does.
  virtual std::optional<Elements> repeated(const Box&) const { return std::nullopt; }

  // Tells that a reader who goes through the array once, in C order, has come past the box: what is kept only
  // to read it again may be dropped. Costs time where that was wrong, and nothing else.
  virtual void passed(const Box&) const {}

  // Throws the Error that makes the array as a whole unreadable, where one is known: views call it before
  // they show a shape or a header. May read a little; does nothing where only parts can be damaged.
  virtual void check() const {}

  // False where it is known without a read that no element is missing.
  virtual bool may_be_missing() const { return true; }

  // Returns the array whose elements decide which type this one has in files of other programs: for the cells
  // of one level, the column that they are cut out of. It lives as long as this one.
  virtual const Array& whole_column() const { return *this; }

  // A null dataspace (HDF5): no element and no shape; views show an empty file and no .npy.
  virtual bool is_null() const { return false; }

  virtual Attributes attributes() const { return {}; }

  // A survey is what a pass over all elements has come to, a value of a type of its own (TextLengths). It is
  // made once, for all files that show the array, and kept as long as that. key: tells several of one type
  // apart. Null where none was made. Thread-safe, as the next.
  template <class Survey>
  std::shared_ptr<const Survey> known_survey(uint64_t key = 0) const {
    return std::static_pointer_cast<const Survey>(find_survey(typeid(Survey), key));
  }
  // That, or what make() gives; of two that are made at once the first stays. Throws what make throws.
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
                                          std::shared_ptr<const void> made) const;

  DType dtype_;
  Shape shape_;
  bool column_major_;
  mutable std::shared_ptr<Surveys> surveys_;  // null in most; guarded by one lock for all arrays
};

using ArrayPtr = std::shared_ptr<const Array>;

// All elements of an array. For names, levels and other lists that are needed whole.
Elements read_all(const Array& array);

// Elements held in memory.
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

// An array whose every use throws the same Error: a member that is listed but cannot be read.
class BrokenArray : public Array {
 public:
  BrokenArray(DType dtype, Error error) : Array(std::move(dtype), {0}), error_(std::move(error)) {}
  Elements read(const Box&) const override { throw error_; }
  void check() const override { throw error_; }

 private:
  Error error_;
};

// Copies a box between two dense C-order runs of elements: source holds a block of shape source_shape, the
// box source_box of it goes to target_origin in target of shape target_shape (both already sized).
// Only kinds of fixed size; Assembly in assembly.h does the others.
void copy_box(uint64_t element_size, const std::byte* source, const Shape& source_shape,
              const Box& source_box, std::byte* target, const Shape& target_shape,
              const Shape& target_origin);

}  // namespace plainfs
