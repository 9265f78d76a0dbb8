// HDF5 datatypes: the form of an element in the file (StoredType), its meaning (its DType), and the number of
// elements (StoredExtent). stored_elements.h decodes elements from the bytes as stored.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/containers/hdf5/file_layout.h"
#include "formats/core/model/arrays/array.h"

namespace plainfs::hdf5 {

// The bits of an integer or a real that is not simply one of the machine's types.
struct BitLayout {
  bool big_endian = false;
  bool is_signed = false;
  unsigned offset = 0;     // of the lowest bit used
  unsigned precision = 0;  // bits used
  // reals only; positions count from the lowest bit of the element
  unsigned sign = 0;
  unsigned exponent = 0;
  unsigned exponent_bits = 0;
  unsigned mantissa = 0;
  unsigned mantissa_bits = 0;
  uint64_t bias = 0;
  bool implied_one = true;
};

struct StoredField;

struct StoredType {
  enum class Form : uint8_t {
    plain,             // unpack() of the model accepts it
    bit_field,         // a bit field of 8 bits, in a dataset or an attribute; like plain
    odd_integer,       // bits
    odd_real,          // bits
    timeval,           // a 32-bit number of microseconds, and above it one of seconds: bits.big_endian
    boolean,           // an enumeration FALSE 0, TRUE 1 of more than one byte: items[0]
    logical,           // an enumeration FALSE 0, TRUE 1, NA 2: items[0]
    text,              // a reference into the global heap
    sequence,          // a reference into the global heap, to items of items[0]
    object_reference,  // the address of an object header
    region_reference,  // a reference into the global heap, to data that begin with the dataset's address
    complex,           // two reals anywhere in a record: fields
    compound,          // fields
    array,             // dtype.dims of items[0]
  };
  Form form = Form::plain;
  uint64_t size = 0;  // bytes of one element in the file
  DType dtype;        // of the decoded elements
  BitLayout bits;
  std::vector<StoredField> fields;
  std::vector<StoredType> items;
};

struct StoredField {
  uint64_t offset;
  StoredType type;
};

// The extent of a dataset or an attribute, with the dimensions of an array type moved from the type to the
// extent.
struct StoredExtent {
  bool is_null = false;      // a null dataspace: no element, no shape
  Shape dataset_shape;       // the dimensions according to the library
  Shape shape;               // followed by those of array types
  StoredType type;           // of one element of shape
  uint64_t stored_size = 0;  // bytes of one element of dataset_shape
};

}  // namespace plainfs::hdf5
