#include "formats/schemas/takane/columns.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "formats/containers/hdf5/container.h"
#include "formats/core/model/elements/element_text.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/hdf5/hdf5_writer.h"

namespace plainfs::takane {
namespace {

using hdf5::DatasetHandle;
using hdf5::Hdf5Writer;
using hdf5::SpaceHandle;
using hdf5::TypeHandle;

struct Fixture {
  TestContext test;
  TemporaryDirectory directory;
  const std::string path = directory.path("columns.h5");

  static void add_type(Hdf5Writer& writer, const DatasetHandle& column, const char* type) {
    const TypeHandle text = Hdf5Writer::text_type();
    const SpaceHandle scalar(H5Screate(H5S_SCALAR));
    writer.attribute(column.id(), "type", text.id(), scalar.id(), &type);
  }
  BasicColumn open(const std::string& name) {
    const GroupPtr file = hdf5::open_group(path, test.context);
    return open_basic_column(*file->find(name), {name, "/" + name, std::nullopt, true}, test.context);
  }
  // Returns its elements as shown in a .csv, joined by blanks.
  std::string text_of(const std::string& name) {
    const BasicColumn column = open(name);
    if (column.error) return column.error->what();
    const Elements elements = read_all(*column.values);
    std::string text;
    for (uint64_t i = 0; i < elements.count; ++i) {
      if (i) text += ' ';
      append_plain(column.values->dtype(), elements, i, text);
    }
    return text;
  }
};

BOOST_FIXTURE_TEST_SUITE(takane_column, Fixture)

// dolomite writes booleans that have missing values as 64-bit reals, with NaN as the placeholder.
BOOST_AUTO_TEST_CASE(booleans_may_be_of_any_numeric_type) {
  {
    Hdf5Writer writer(path);
    const double reals[] = {1, 0, NAN, -3};
    const DatasetHandle real = writer.dataset("real", H5T_IEEE_F64LE, {4}, H5T_NATIVE_DOUBLE, reals);
    add_type(writer, real, "boolean");
    const SpaceHandle scalar(H5Screate(H5S_SCALAR));
    const double placeholder = -3;
    writer.attribute(real.id(), "missing-value-placeholder", H5T_IEEE_F64LE, scalar.id(), &placeholder);
    const float singles[] = {0, 0.5f};
    add_type(writer, writer.dataset("single", H5T_IEEE_F32LE, {2}, H5T_NATIVE_FLOAT, singles), "boolean");
    add_type(writer, writer.integers("integer", {3}, {0, 7, 1}), "boolean");
  }
  BOOST_TEST(text_of("real") == "TRUE FALSE NA NA");
  BOOST_TEST(text_of("single") == "FALSE TRUE");
  BOOST_TEST(text_of("integer") == "FALSE TRUE TRUE");
}

// The .npy of such a column shows the stored numbers.
BOOST_AUTO_TEST_CASE(booleans_keep_their_stored_type) {
  {
    Hdf5Writer writer(path);
    const double reals[] = {1, 0};
    add_type(writer, writer.dataset("real", H5T_IEEE_F64LE, {2}, H5T_NATIVE_DOUBLE, reals), "boolean");
  }
  const BasicColumn column = open("real");
  BOOST_CHECK(column.values->dtype().kind == Kind::logical);
  BOOST_CHECK(column.values->dtype().base == Kind::real);
  const Elements elements = read_all(*column.values);
  BOOST_TEST(elements.values<double>()[0] == 1.0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::takane
