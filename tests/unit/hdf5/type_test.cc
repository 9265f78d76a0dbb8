#include "formats/containers/hdf5/library/datatype.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "formats/containers/hdf5/stored_elements.h"
#include "tests/unit/hdf5/hdf5_writer.h"

namespace plainfs::hdf5 {
namespace {

using Form = StoredType::Form;

const FileLayout kLayout;

Bytes bytes_of(std::initializer_list<unsigned> values) {
  Bytes bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

StoredType type_with_bits(hid_t base, size_t size, size_t precision, int offset) {
  const LibraryLock lock;
  const TypeHandle type(H5Tcopy(base));
  written(H5Tset_size(type.id(), size));
  written(H5Tset_precision(type.id(), precision));
  written(H5Tset_offset(type.id(), static_cast<size_t>(offset)));
  return stored_type(type.id(), kLayout);
}

BOOST_AUTO_TEST_SUITE(hdf5_type)

BOOST_AUTO_TEST_CASE(machine_numbers_are_plain) {
  const LibraryLock lock;
  for (const hid_t type :
       {H5T_STD_I8LE, H5T_STD_U16BE, H5T_STD_I32BE, H5T_STD_U64LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE}) {
    const StoredType stored = stored_type(type, kLayout);
    BOOST_TEST((stored.form == Form::plain));
    BOOST_TEST(stored.dtype.big_endian == (H5Tget_order(type) == H5T_ORDER_BE && H5Tget_size(type) > 1));
    BOOST_TEST(stored.size == H5Tget_size(type));
  }
}

BOOST_AUTO_TEST_CASE(twelve_bits_at_an_offset_keep_their_sign) {
  const StoredType type = type_with_bits(H5T_STD_I16LE, 2, 12, 3);
  BOOST_TEST((type.form == Form::odd_integer));
  // -1 and 5 in bits 3 to 14, surrounded by garbage
  const Elements elements = decode_fixed(type, bytes_of({0xff, 0xff, 5 << 3 | 7, 0x80}), 2);
  BOOST_TEST(elements.values<int16_t>()[0] == -1);
  BOOST_TEST(elements.values<int16_t>()[1] == 5);
}

BOOST_AUTO_TEST_CASE(three_byte_integers_widen_to_four) {
  const StoredType type = type_with_bits(H5T_STD_I32BE, 3, 24, 0);
  BOOST_TEST(type.size == 3);
  const Elements elements = decode_fixed(type, bytes_of({0xff, 0xff, 0xfe, 0x01, 0x02, 0x03}), 2);
  BOOST_TEST(type.dtype.size == 4);
  BOOST_TEST(elements.values<int32_t>()[0] == -2);
  BOOST_TEST(elements.values<int32_t>()[1] == 0x010203);
}

BOOST_AUTO_TEST_CASE(bfloat16_becomes_the_float_of_equal_value) {
  StoredType stored;
  {
    const LibraryLock lock;
    const TypeHandle type(H5Tcopy(H5T_IEEE_F32LE));
    written(H5Tset_fields(type.id(), 15, 7, 8, 0, 7));
    written(H5Tset_precision(type.id(), 16));
    written(H5Tset_size(type.id(), 2));
    stored = stored_type(type.id(), kLayout);
  }
  BOOST_TEST((stored.form == Form::odd_real));
  const Elements elements =
      decode_fixed(stored, bytes_of({0x80, 0x3f, 0x20, 0xc1, 0x80, 0x7f, 0xc0, 0x7f, 0x01, 0x00}), 5);
  const auto values = elements.values<float>();
  BOOST_TEST(values[0] == 1.0f);
  BOOST_TEST(values[1] == -10.0f);
  BOOST_TEST(std::isinf(values[2]));
  BOOST_TEST(std::isnan(values[3]));
  BOOST_TEST(values[4] == std::ldexp(1.0f, -133));
}

BOOST_AUTO_TEST_CASE(wider_reals_than_double_are_unsupported) {
  const LibraryLock lock;
  BOOST_CHECK_EXCEPTION(stored_type(H5T_NATIVE_LDOUBLE, kLayout), Error,
                        [](const Error& error) { return error.code() == Errc::unsupported; });
}

BOOST_AUTO_TEST_CASE(record_offsets_match_the_file) {
  // In memory a variable-length string is a pointer of 8 bytes and a sequence a struct of 16. In the file
  // both have 16.
  const LibraryLock lock;
  const TypeHandle text = Hdf5Writer::text_type();
  const TypeHandle sequence(H5Tvlen_create(H5T_STD_I32LE));
  const TypeHandle record(H5Tcreate(H5T_COMPOUND, 8 + 8 + 16 + 4));
  written(H5Tinsert(record.id(), "n", 0, H5T_STD_I64LE));
  written(H5Tinsert(record.id(), "s", 8, text.id()));
  written(H5Tinsert(record.id(), "v", 16, sequence.id()));
  written(H5Tinsert(record.id(), "k", 32, H5T_STD_I32LE));
  const StoredType stored = stored_type(record.id(), kLayout);
  BOOST_TEST((stored.form == Form::compound));
  BOOST_TEST(stored.size == 44);
  BOOST_TEST(stored.fields[1].offset == 8);
  BOOST_TEST(stored.fields[2].offset == 24);
  BOOST_TEST(stored.fields[3].offset == 40);
}

BOOST_AUTO_TEST_CASE(two_reals_named_r_and_i_are_complex_at_any_offset) {
  StoredType stored;
  {
    const LibraryLock lock;
    const TypeHandle record(H5Tcreate(H5T_COMPOUND, 12));
    written(H5Tinsert(record.id(), "r", 7, H5T_IEEE_F32LE));
    written(H5Tinsert(record.id(), "i", 2, H5T_IEEE_F32BE));
    stored = stored_type(record.id(), kLayout);
  }
  BOOST_TEST((stored.form == Form::complex));
  const Elements elements = decode_fixed(stored, bytes_of({9, 9, 0xc0, 0, 0, 0, 9, 0, 0, 0x80, 0x3f, 9}), 1);
  BOOST_TEST(elements.values<float>()[0] == 1.0f);
  BOOST_TEST(elements.values<float>()[1] == -2.0f);
}

BOOST_AUTO_TEST_CASE(wide_false_true_enumerations_become_single_bytes) {
  StoredType stored;
  {
    const LibraryLock lock;
    const TypeHandle type(H5Tenum_create(H5T_STD_I32BE));
    const uint32_t no = 0, yes = 0x01000000;  // in its stored form: big-endian 1
    written(H5Tenum_insert(type.id(), "TRUE", &yes));
    written(H5Tenum_insert(type.id(), "FALSE", &no));
    stored = stored_type(type.id(), kLayout);
  }
  BOOST_TEST((stored.dtype.kind == Kind::boolean));
  const Elements elements = decode_fixed(stored, bytes_of({0, 0, 0, 1, 0, 0, 0, 0}), 2);
  BOOST_TEST(elements.bytes.size() == 2);
  BOOST_TEST(elements.values<uint8_t>()[0] == 1);
  BOOST_TEST(elements.values<uint8_t>()[1] == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::hdf5
