// Every store of bad/takane breaks one rule of takane's validator: the message names it, and independent
// parts stay readable. Compares with outcome.txt of each case, including prose lines.
#include "formats/schemas/takane/data_frame.h"

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <map>

#include "formats/schemas/takane/object.h"
#include "tests/support/faulty_pool.h"
#include "tests/support/probe.h"
#include "tests/support/test_context.h"

using namespace plainfs;

namespace {

std::string bad(const std::string& name) {
  return std::string(PLAINFS_TEST_DATA) + "/bad/takane/" + name + "/store";
}

// Returns the message of the error from reading the whole array, or an empty text.
std::string failure(const Array& array) {
  try {
    array.check();
    read_all(array);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

struct Frame {
  GroupPtr root;
  Node frame;

  explicit Frame(const Store& store) : root(store.root.parts), frame(*root->find("data_frame")) {}

  // Returns the reason why the table cannot be shown, or an empty text.
  std::string table_failure() const {
    if (const Error* error = std::get_if<Error>(&frame.content)) return error->what();
    const Table& table = std::get<Table>(frame.content);
    if (table.row_names)
      if (const std::string why = failure(*table.row_names); !why.empty()) return why;
    for (const Column& column : table.columns)
      if (const std::string why = failure(*column.values); !why.empty()) return why;
    return {};
  }
  std::string column_failure(const std::string& name) const {
    const std::optional<Node> node = frame.parts->find(name);
    if (!node) return "not listed";
    if (const Error* error = std::get_if<Error>(&node->content)) return error->what();
    const LabelledArray* values = std::get_if<LabelledArray>(&node->content);
    return values ? failure(*values->values) : std::string();
  }
};

struct Case {
  const char* name;
  const char* message;  // a part of it
  const char* column = nullptr;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(takane_data_frame)

BOOST_AUTO_TEST_CASE(fatal_violations_stop_the_mount) {
  for (const Case& c : std::initializer_list<Case>{{"column_name_duplicate", "'good' is repeated"},
                                                   {"column_name_empty", "has an empty name"},
                                                   {"column_name_null", "column names: element 0"},
                                                   {"column_names_2d", "expected 1"},
                                                   {"column_names_group", "is not a dataset"},
                                                   {"column_names_numbers", "expected strings"},
                                                   {"group_is_dataset", "group data_frame"},
                                                   {"h5_is_text", "basic_columns.h5"},
                                                   {"h5_truncated", "basic_columns.h5"},
                                                   {"no_column_names", "column_names is missing"},
                                                   {"no_data_group", "data_frame/data"},
                                                   {"no_group", "group data_frame"},
                                                   {"no_h5", "basic_columns.h5 is missing"},
                                                   {"object_data_frame_string", "JSON object"},
                                                   {"object_is_array", "JSON object"},
                                                   {"object_no_data_frame", "JSON object"},
                                                   {"object_no_type", "type is missing"},
                                                   {"object_not_json", "OBJECT"},
                                                   {"object_type_number", "type is not a string"},
                                                   {"version_2", "version '2.0'"},
                                                   {"version_missing", "version is missing"},
                                                   {"version_number", "version is not a string"},
                                                   {"version_patch", "MAJOR.MINOR"},
                                                   {"version_text", "MAJOR.MINOR"}}) {
    TestContext test;
    BOOST_TEST_CONTEXT(c.name) {
      BOOST_CHECK_EXCEPTION(takane::open(look_at(bad(c.name)), test.context), Error, [&](const Error& error) {
        BOOST_TEST_MESSAGE(error.what());
        return std::string(error.what()).find(c.message) != std::string::npos;
      });
    }
  }
}

BOOST_AUTO_TEST_CASE(invalid_values_damage_the_column_and_the_table) {
  for (const Case& c :
       std::initializer_list<Case>{{"chunk_damaged", "chunk", "x"},
                                   {"column_2d", "expected 1", "x"},
                                   {"column_is_datatype", "is missing", "x"},
                                   {"column_no_type", "\"type\" is missing", "x"},
                                   {"column_scalar", "expected 1", "x"},
                                   {"column_type_number", "\"type\" is not a string", "x"},
                                   {"column_type_unknown", "'complex'", "x"},
                                   {"column_type_vector", "\"type\" is not a scalar", "x"},
                                   {"factor_codes_float", "expected integers", "f"},
                                   {"factor_length", "values, expected", "f"},
                                   {"factor_levels_2d", "levels has 2 dimensions", "f"},
                                   {"factor_levels_numbers", "levels are int64, expected strings", "f"},
                                   {"factor_no_codes", "codes of a factor", "f"},
                                   {"factor_no_levels", "levels of a factor", "f"},
                                   {"factor_placeholder_type", "the placeholder is", "f"},
                                   {"group_type_unknown", "factor or vls", "f"},
                                   {"number_longdouble", "", "x"},
                                   {"number_string", "numeric type", "x"},
                                   {"placeholder_not_string", "placeholder of strings is not a string", "x"},
                                   {"placeholder_other_type", "the placeholder is", "x"},
                                   {"placeholder_string", "the placeholder is", "x"},
                                   {"placeholder_vector", "placeholder is not a scalar", "x"},
                                   {"string_null", "NULL string", "x"},
                                   {"string_numbers", "is stored as", "x"},
                                   {"vls_heap_type", "heap", "v"},
                                   {"vls_length", "values, expected", "v"},
                                   {"vls_members", "offset and length", "v"},
                                   {"vls_no_heap", "the heap of a vls column is missing", "v"},
                                   {"vls_out_of_heap", "outside the heap", "v"},
                                   {"vls_overflow", "outside the heap", "v"},
                                   {"vls_signed", "unsigned", "v"}}) {
    TestContext test;
    const Frame frame(takane::open(look_at(bad(c.name)), test.context));
    BOOST_TEST_CONTEXT(c.name) {
      const std::string table = frame.table_failure(), column = frame.column_failure(c.column);
      BOOST_TEST(table != "");
      BOOST_TEST(column != "");
      BOOST_TEST(table.find(c.message) != std::string::npos, table);
      BOOST_TEST(column.find(c.message) != std::string::npos, column);
      BOOST_TEST(frame.column_failure("good") == "");
    }
  }
}

BOOST_AUTO_TEST_CASE(violations_of_the_table_leave_its_columns_readable) {
  for (const Case& c : std::initializer_list<Case>{{"column_absent", "column 1 is missing"},
                                                   {"column_long", "values, expected"},
                                                   {"column_short", "values, expected"},
                                                   {"nested_broken", ""},
                                                   {"nested_height", "rows, expected"},
                                                   {"nested_no_object", "OBJECT"},
                                                   {"no_row_count", "\"row-count\" is missing"},
                                                   {"row_count_float", "expected an integer"},
                                                   {"row_count_vector", "row-count is not a scalar"},
                                                   {"row_name_null", "row names: element"},
                                                   {"row_names_group", "row_names is not a dataset"},
                                                   {"row_names_numbers", "expected strings"},
                                                   {"row_names_short", "row_names has"}}) {
    TestContext test;
    const Frame frame(takane::open(look_at(bad(c.name)), test.context));
    BOOST_TEST_CONTEXT(c.name) {
      const std::string table = frame.table_failure();
      BOOST_TEST(table != "");
      BOOST_TEST(table.find(c.message) != std::string::npos, table);
      BOOST_TEST(frame.column_failure("good") == "");
    }
  }
}

BOOST_AUTO_TEST_CASE(harmless_violations_are_warnings) {
  for (const Case& c : std::initializer_list<Case>{{"annotations_rows", "rows for"},
                                                   {"annotations_type", "expected data_frame"},
                                                   {"boolean_64", "does not fit", "x"},
                                                   {"column_extra", "is not a column"},
                                                   {"column_twice", "stored twice"},
                                                   {"date_format", "is not a date", "x"},
                                                   {"date_month", "is not a date", "x"},
                                                   {"datetime_no_zone", "is not a date-time", "x"},
                                                   {"factor_code_range", "", "f"},
                                                   {"factor_codes_signed", "unsigned type", "f"},
                                                   {"factor_levels_duplicate", "levels are repeated", "f"},
                                                   {"factor_ordered_string", "ordered", "f"},
                                                   {"factor_ordered_vector", "ordered", "f"},
                                                   {"format_number", "format", "x"},
                                                   {"format_unknown", "format", "x"},
                                                   {"integer_64", "does not fit", "x"},
                                                   {"integer_float", "does not fit", "x"},
                                                   {"integer_u32", "does not fit", "x"},
                                                   {"number_i64", "does not fit", "x"},
                                                   {"other_annotations_json", "32-bit integer"},
                                                   {"other_annotations_type", "simple_list"},
                                                   {"other_extra", "is not a column"},
                                                   {"other_no_height", "left out"},
                                                   {"row_count_signed", "row-count is not unsigned"},
                                                   {"vls_in_1_0", "version 1.1"}}) {
    TestContext test;
    const Frame frame(takane::open(look_at(bad(c.name)), test.context));
    BOOST_TEST_CONTEXT(c.name) {
      BOOST_TEST(frame.table_failure() == "");
      if (c.column) BOOST_TEST(frame.column_failure(c.column) == "");
      bool warned = false;
      for (const std::string& warning : test.warnings())
        warned |= warning.find(c.message) != std::string::npos;
      BOOST_TEST(warned);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_row_count_makes_the_table_damaged) {
  TestContext test;
  BOOST_TEST(Frame(takane::open(look_at(bad("row_count_wrong")), test.context)).table_failure() != "");
}

BOOST_AUTO_TEST_CASE(every_bad_store_is_tested) {
  size_t stores = 0;
  for (const auto& entry :
       boost::filesystem::directory_iterator(std::string(PLAINFS_TEST_DATA) + "/bad/takane"))
    stores += boost::filesystem::is_directory(entry.path());
  // 24 + 31 + 13 + 25 + 1 above, boolean_enum below, and no_object, which the mirror shows.
  BOOST_TEST(stores == 96);
}

BOOST_AUTO_TEST_CASE(enumeration_stored_for_a_boolean_is_shown) {
  TestContext test;
  const Frame frame(takane::open(look_at(bad("boolean_enum")), test.context));
  BOOST_TEST(frame.table_failure() == "");
  BOOST_TEST(frame.column_failure("x") == "");
}

BOOST_AUTO_TEST_CASE(a_directory_without_object_is_no_takane_object) {
  BOOST_TEST(!takane::recognises(look_at(bad("no_object"))));
}

BOOST_AUTO_TEST_CASE(nested_data_frames_join_the_table) {
  TestContext test;
  const Frame frame(
      takane::open(look_at(std::string(PLAINFS_TEST_DATA) + "/takane/nested/store"), test.context));
  const Table& table = std::get<Table>(frame.frame.content);
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  const std::vector<std::string> expected{"id", "sub.p", "sub.q", "sub.deep.z", "last", "sub,2.a\"b"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
  const Link link = std::get<Link>(frame.frame.parts->find("sub")->content);
  BOOST_TEST(link.path == (std::vector<std::string>{"other_columns", "1"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(temporarily_unreadable_column_is_not_left_out) {
  const auto columns_in = [](Context& context) {
    const GroupPtr root = takane::open(look_at(bad("column_long")), context).root.parts;
    std::vector<std::string> names;
    for (const Member& member : root->find("data_frame")->parts->members()) names.push_back(member.name);
    return names;
  };
  TestContext test;
  const std::vector<std::string> all = columns_in(test);
  BOOST_TEST(all.size() == 4U);
  fail_each_read([&](Context& context) { BOOST_TEST(columns_in(context) == all); });
}

BOOST_AUTO_TEST_SUITE_END()
