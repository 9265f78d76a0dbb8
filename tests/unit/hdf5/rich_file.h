// A small HDF5 file with one of everything that libhdf5 is used for.
#pragma once

#include <string>

#include "tests/unit/hdf5/hdf5_writer.h"

namespace plainfs::hdf5 {

inline TypeHandle odd_record() {
  struct Pair {
    float r, i;
  };
  TypeHandle text = Hdf5Writer::text_type(), narrow(written(H5Tcopy(H5T_STD_I32BE)));
  written(H5Tset_precision(narrow.id(), 13));
  const TypeHandle sequence(written(H5Tvlen_create(narrow.id())));
  const hsize_t dims[] = {2, 3};
  const TypeHandle array(written(H5Tarray_create2(narrow.id(), 2, dims)));
  const TypeHandle complex(written(H5Tcreate(H5T_COMPOUND, sizeof(Pair))));
  written(H5Tinsert(complex.id(), "r", offsetof(Pair, r), H5T_IEEE_F32LE));
  written(H5Tinsert(complex.id(), "i", offsetof(Pair, i), H5T_IEEE_F32LE));
  TypeHandle record(written(H5Tcreate(H5T_COMPOUND, 200)));
  written(H5Tinsert(record.id(), "text", 0, text.id()));
  written(H5Tinsert(record.id(), "items", 16, sequence.id()));
  written(H5Tinsert(record.id(), "array", 40, array.id()));
  written(H5Tinsert(record.id(), "complex", 80, complex.id()));
  written(H5Tinsert(record.id(), "reference", 100, H5T_STD_REF_OBJ));
  written(H5Tinsert(record.id(), "region", 120, H5T_STD_REF_DSETREG));
  return record;
}

template <class Value>
TypeHandle enumeration(hid_t base, std::initializer_list<std::pair<const char*, Value>> members) {
  TypeHandle type(written(H5Tenum_create(base)));
  for (const auto& [name, value] : members) written(H5Tenum_insert(type.id(), name, &value));
  return type;
}

// Writes groups with hard, soft, external and dangling links; datasets of every layout and of types of every
// form; few and many attributes. "virtual" has its elements in "source.h5" beside the file, which is also
// written.
inline void write_rich_file(const std::string& folder, const std::string& name) {
  { Hdf5Writer(folder + "/source.h5").integers("x", {4}, {5, 6, 7, 8}); }
  Hdf5Writer writer(folder + "/" + name);
  writer.group("group");
  writer.integers("group/contiguous", {2, 3}, {1, 2, 3, 4, 5, 6});
  PropertyHandle compact(written(H5Pcreate(H5P_DATASET_CREATE)));
  written(H5Pset_layout(compact.id(), H5D_COMPACT));
  writer.integers("group/compact", {3}, {7, 8, 9}, compact.id());
  const PropertyHandle chunked = Hdf5Writer::chunked({2, 2});
  H5Pset_deflate(chunked.id(), 4);
  writer.integers("group/chunked", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, chunked.id());
  const PropertyHandle external(written(H5Pcreate(H5P_DATASET_CREATE)));
  written(H5Pset_external(external.id(), "raw.bin", 16, 12));
  writer.integers("group/external", {3}, {}, external.id());
  const hsize_t four = 4;
  const SpaceHandle list(written(H5Screate_simple(1, &four, nullptr)));
  const PropertyHandle mapped(written(H5Pcreate(H5P_DATASET_CREATE)));
  written(H5Pset_virtual(mapped.id(), list.id(), "source.h5", "x", list.id()));
  writer.integers("virtual", {4}, {}, mapped.id());
  writer.texts("texts", {"a", "", "longer"});
  const TypeHandle record = odd_record();
  writer.dataset("record", record.id(), {2}, record.id(), nullptr);
  const TypeHandle truth = enumeration<signed char>(H5T_STD_I8LE, {{"FALSE", 0}, {"TRUE", 1}}),
                   wide_truth = enumeration<int>(H5T_NATIVE_INT, {{"FALSE", 0}, {"TRUE", 1}}),
                   logical = enumeration<int>(H5T_NATIVE_INT, {{"FALSE", 0}, {"TRUE", 1}, {"NA", 2}}),
                   named = enumeration<int>(H5T_NATIVE_INT, {{"red", 3}, {"blue", -4}});
  for (const auto& [member, type] : {std::pair("truth", &truth), std::pair("wide_truth", &wide_truth),
                                     std::pair("logical", &logical), std::pair("named", &named)})
    writer.dataset(member, type->id(), {2}, type->id(), nullptr);
  writer.dataset("half", H5T_IEEE_F64BE, {2}, H5T_NATIVE_DOUBLE, nullptr);
  written(H5Lcreate_soft("/group/chunked", writer.id(), "soft", H5P_DEFAULT, H5P_DEFAULT));
  written(H5Lcreate_external("other.h5", "/x", writer.id(), "external", H5P_DEFAULT, H5P_DEFAULT));
  written(H5Lcreate_hard(writer.id(), "/group", writer.id(), "hard", H5P_DEFAULT, H5P_DEFAULT));
  const SpaceHandle scalar(written(H5Screate(H5S_SCALAR))), null(written(H5Screate(H5S_NULL)));
  const int value = 7;
  for (int i = 0; i < 20; ++i)
    writer.attribute(writer.id(), "attribute" + std::to_string(i), H5T_NATIVE_INT, scalar.id(), &value);
  const ObjectHandle group(written(H5Oopen(writer.id(), "group", H5P_DEFAULT)));
  writer.attribute(group.id(), "null", H5T_NATIVE_INT, null.id(), &value);
  const char* const words[] = {"a", "bc", "", "d"};
  writer.attribute(group.id(), "words", Hdf5Writer::text_type().id(), list.id(), words);
  // Chunks that no version 1 tree indexes.
  written(H5Fset_libver_bounds(writer.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
  writer.integers("new_chunks", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, chunked.id());
}

}  // namespace plainfs::hdf5
