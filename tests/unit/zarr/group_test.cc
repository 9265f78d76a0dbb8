// The folders that are nodes, the source of their attributes, and the effect of damage on other nodes.
#include <boost/test/unit_test.hpp>

#include "formats/core/model/transient_fault.h"
#include "tests/support/faulty_pool.h"
#include "tests/support/mentions.h"
#include "tests/support/probe.h"
#include "tests/unit/zarr/store_writer.h"

namespace {

using namespace plainfs;
using namespace plainfs::zarr;
using Names = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(group)

// Returns the bytes of a member that is a file.
std::string text_in(const Group& group, std::string_view name, Context& context) {
  const std::optional<Node> node = group.find(name);
  const auto& file = std::get<PlainFile>(node.value().content);
  if (file.open) return std::string(as_text(file.open()->read_all()));
  const FilePtr opened = context.files.open(file.path);
  return std::string(as_text(opened->read_at(0, opened->size())));
}

BOOST_AUTO_TEST_CASE(folder_without_a_document_is_a_group) {
  const V2Store writer;
  writer.put_v2_array("b");
  writer.put("a/.zgroup", R"({"zarr_format":2})");
  writer.put_v2_array("deep/er/c", R"("<i4")", "7");
  writer.put("deep/.zattrs", R"({"kept":1})");
  TestContext context;
  const Store store = writer.open(context);
  BOOST_TEST(names_of(*store.root.parts) == (Names{"a", "b", "deep"}), boost::test_tools::per_element());
  BOOST_TEST(attributes_of(member(store, "deep")).at(0).name == "kept");
  const std::string path[] = {"deep", "er", "c"};
  BOOST_TEST(read_all(*array_of(find_path(*store.root.parts, path).value())).values<int32_t>()[3] == 7);
  BOOST_TEST(context.warnings().empty());
  BOOST_TEST(!store.root.parts->find("..").has_value());
  BOOST_TEST(!store.root.parts->find("absent").has_value());
  BOOST_TEST(!store.root.parts->find("a/../b").has_value());
}

BOOST_AUTO_TEST_CASE(other_files_are_members_unchanged) {
  const V3Store writer;
  writer.put("points/zarr.json", R"({"zarr_format":3,"node_type":"group"})");
  writer.put("points/points.parquet/part.0.parquet", "PAR1");
  writer.put("README.txt", "read me");
  writer.put_v3_array("a");
  writer.put("a/beside.txt", "under an array");
  for (const char* hidden : {".DS_Store", ".git/config", "__MACOSX/x", ".zmetadata.bak"})
    writer.put(hidden, "");
  boost::filesystem::create_symlink("nowhere", writer.path() + "/gone.txt");
  TestContext context;
  const Store store = writer.open(context);
  BOOST_TEST(names_of(*store.root.parts) == (Names{"README.txt", "a", "gone.txt", "points"}),
             boost::test_tools::per_element());
  BOOST_TEST(text_in(*store.root.parts, "README.txt", context) == "read me");
  const GroupPtr folder = find_group(*find_group(*store.root.parts, "points"), "points.parquet");
  BOOST_TEST(names_of(*folder) == Names{"part.0.parquet"}, boost::test_tools::per_element());
  BOOST_TEST(text_in(*folder, "part.0.parquet", context) == "PAR1");
  const std::vector<Member> members = store.root.parts->members();
  const std::string gone = std::get<PlainFile>(members.at(2).node.content).path;
  BOOST_CHECK_EXCEPTION(context.files.open(gone), Error, mentions("gone.txt"));
  for (const char* hidden : {".DS_Store", ".git", "__MACOSX", "zarr.json"})
    BOOST_TEST(!store.root.parts->find(hidden).has_value());
  BOOST_TEST(context.warnings().empty());
}

BOOST_AUTO_TEST_CASE(chunks_without_an_array_are_files_with_a_warning) {
  const V2Store writer;
  writer.put_values<int32_t>("lost/0.0", {1, 2});
  TestContext context;
  const Store store = writer.open(context);
  BOOST_TEST(names_of(*member(store, "lost").parts) == Names{"0.0"}, boost::test_tools::per_element());
  BOOST_TEST(context.warned("lost: has files named like chunks (0.0), but no .zarray or zarr.json"));
}

BOOST_AUTO_TEST_CASE(folder_with_attributes_alone_is_a_store) {
  const StoreWriter writer;
  writer.put(".zattrs", R"({"kept":1})");
  writer.put_v2_array("a", R"("<i4")", "7");
  BOOST_TEST(recognises(look_at(writer.path())));
  TestContext context;
  const Store store = writer.open(context);
  BOOST_TEST(store.format == "Zarr v2");
  BOOST_TEST(attributes_of(store.root).at(0).name == "kept");
  BOOST_TEST(values_in<int32_t>(store, "a") == std::vector<int32_t>(4, 7), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(temporary_failure_leaves_a_folder_undecided) {
  const V2Store writer;
  writer.put("g/.zgroup", R"({"zarr_format":2})");
  writer.put_v2_array("g/a");
  for (const char* name : {"zarr.json", ".zarray", ".zgroup"}) {
    FaultyContext faulty;
    const Store store = zarr::open(Probe(writer.path(), faulty.files), faulty.context);
    faulty.files.unreadable_path = writer.path() + "/g/" + name;
    BOOST_TEST(transient_fault(*store.root.parts->find("g")).has_value());
    faulty.files.unreadable_path.clear();
    BOOST_TEST(names_of(*store.root.parts->find("g")->parts) == (Names{"a"}),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(links_to_a_folder_above_are_not_entered) {
  const V2Store writer;
  writer.put("g/.zgroup", R"({"zarr_format":2})");
  writer.put("h/.zgroup", R"({"zarr_format":2})");
  const boost::filesystem::path root = writer.path();
  boost::filesystem::create_symlink(".", root / "g/self");
  boost::filesystem::create_symlink("..", root / "g/up");
  boost::filesystem::create_symlink("../h", root / "g/beside");
  boost::filesystem::create_symlink("../g", root / "h/back");
  TestContext context;
  const Store store = writer.open(context);
  const Node g = member(store, "g");
  BOOST_TEST(names_of(*g.parts) == Names{"beside"}, boost::test_tools::per_element());
  BOOST_TEST(g.parts->find("beside")->parts->members().empty());
}

BOOST_AUTO_TEST_CASE(v3_metadata_win_over_v2) {
  const V2Store writer;
  writer.put_v2_array("a", R"("<i4")", "1");
  writer.put_v3_array("a", R"("int32")", "2");
  TestContext context;
  BOOST_TEST(values_in<int32_t>(writer.open(context), "a") == (std::vector<int32_t>{2, 2, 2, 2}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(entries_below_an_array_are_no_nodes) {
  const V3Store writer;
  writer.put_v3_array("a");
  writer.put_v3_array("a/c");
  TestContext context;
  const Store store = writer.open(context);
  BOOST_TEST(!member(store, "a").parts);
}

BOOST_AUTO_TEST_CASE(consolidated_metadata_replace_only_missing_documents) {
  const V2Store writer;
  writer.put_v2_array("present", R"("<i4")", "1");
  writer.put("lost/0", std::string(8, '\1'));
  writer.put(".zmetadata", R"({"zarr_consolidated_format":1,"metadata":{
      "present/.zarray":{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"<i4","compressor":null,"filters":null,"order":"C","fill_value":9},
      "ghost/.zarray":{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"<i4","compressor":null,"filters":null,"order":"C","fill_value":9},
      "lost/.zarray":{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<i4","compressor":null,"filters":null,"order":"C","fill_value":9},
      "lost/.zattrs":{"unit":"m"}}})");
  TestContext context;
  const Store store = writer.open(context);
  BOOST_TEST(names_of(*store.root.parts) == (Names{"lost", "present"}), boost::test_tools::per_element());
  BOOST_TEST(values_in<int32_t>(store, "present") == (std::vector<int32_t>{1, 1, 1, 1}),
             boost::test_tools::per_element());
  BOOST_TEST(values_in<int32_t>(store, "lost") == (std::vector<int32_t>{0x01010101, 0x01010101}),
             boost::test_tools::per_element());
  BOOST_TEST(attributes_of(member(store, "lost")).at(0).name == "unit");
  BOOST_TEST(!store.root.parts->find("ghost").has_value());
}

BOOST_AUTO_TEST_CASE(v3_consolidated_metadata_replace_missing_documents) {
  const V3Store writer;
  writer.put("zarr.json", R"({"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline",
      "must_understand":false,"metadata":{"lost":{"zarr_format":3,"node_type":"group","attributes":{"a":1}}}}})");
  writer.put("lost/stray", "");
  TestContext context;
  const Store store = writer.open(context);
  BOOST_TEST(names_of(*store.root.parts) == (Names{"lost"}), boost::test_tools::per_element());
  BOOST_TEST(attributes_of(member(store, "lost")).at(0).name == "a");
}

BOOST_AUTO_TEST_CASE(non_json_consolidated_metadata_are_ignored) {
  const V2Store writer;
  writer.put_v2_array("a");
  writer.put("stray/file", "");
  writer.put(".zmetadata", "{");
  TestContext context;
  const Store store = writer.open(context);
  BOOST_TEST(names_of(*store.root.parts) == (Names{"a", "stray"}), boost::test_tools::per_element());
  BOOST_TEST(context.warned(".zmetadata"));
}

BOOST_AUTO_TEST_CASE(damaged_attributes_leave_the_data_alone) {
  const V2Store writer;
  writer.put_v2_array("a", R"("<i4")", "7");
  writer.put("a/.zattrs", "[1]");
  TestContext context;
  const Store store = writer.open(context);
  BOOST_TEST(error_of(store, "a") == "");
  BOOST_CHECK_EXCEPTION(attributes_of(member(store, "a")), Error, [](const Error& error) {
    return holds(error.what(), "a/.zattrs: .zattrs is not an object");
  });
}

BOOST_AUTO_TEST_CASE(python_attributes_are_read_as_written) {
  const V2Store writer;
  writer.put(".zattrs", R"({"x":NaN,"y":-Infinity,"big":36893488147419103232,"x":1})");
  TestContext context;
  const Store store = writer.open(context);
  const Attributes attributes = attributes_of(store.root);
  BOOST_TEST(attributes.size() == 3u);
  BOOST_TEST(attributes.find("x")->number()->token == "1");
  BOOST_TEST(attributes.find("y")->number()->token == "-Infinity");
  BOOST_TEST(attributes.find("big")->number()->token == "36893488147419103232");
}

BOOST_AUTO_TEST_CASE(dimension_names_are_an_attribute) {
  const V3Store writer;
  writer.put_v3_array("a", R"("int32")", "0", R"(["bytes"])", "[4]", "[2]", R"(,"dimension_names":["t"])");
  TestContext context;
  const Node node = member(writer.open(context), "a");
  const Attributes attributes = attributes_of(node);
  BOOST_TEST(to_json_text(*attributes.find("dimension_names")) == R"(["t"])");
}

BOOST_AUTO_TEST_CASE(damaged_group_is_a_failing_directory) {
  const V2Store writer;
  writer.put("g/.zgroup", "{");
  writer.put_v2_array("g/a");
  writer.put("h/zarr.json", "{");
  writer.put_v2_array("h/a");
  writer.put_v2_array("good");
  TestContext context;
  const Store store = writer.open(context);
  for (const char* name : {"g", "h"}) {
    const GroupPtr group = find_group(*store.root.parts, name);
    BOOST_REQUIRE(group);
    BOOST_CHECK_EXCEPTION(group->members(), Error, mentions("invalid JSON at byte"));
  }
  BOOST_TEST(error_of(store, "good") == "");
}

BOOST_AUTO_TEST_CASE(damaged_root_does_not_open) {
  const StoreWriter v2;
  v2.put(".zgroup", "[]");
  const StoreWriter v3;
  v3.put("zarr.json", R"({"zarr_format":3,"node_type":"group","extra":1})");
  TestContext context;
  BOOST_TEST(recognises(look_at(v2.path())));
  BOOST_CHECK_EXCEPTION(v2.open(context), Error, mentions("[] is not an object"));
  BOOST_CHECK_EXCEPTION(v3.open(context), Error, mentions("zarr.json: zarr.json has the member"));
}

BOOST_AUTO_TEST_CASE(unsupported_root_array_opens_and_damaged_one_does_not) {
  const StoreWriter unsupported;
  unsupported.put_v2_array(".", R"("<f16")");
  const StoreWriter damaged;
  damaged.put_v2_array(".", R"("<f4")", "0", "", "4");
  TestContext context;
  BOOST_CHECK_EXCEPTION(array_of(unsupported.open(context).root), Error, mentions(".zarray: dtype"));
  BOOST_CHECK_EXCEPTION(damaged.open(context), Error, mentions(".zarray: "));
}

BOOST_AUTO_TEST_CASE(other_formats_are_refused_by_name) {
  const StoreWriter n5;
  n5.put("attributes.json", R"({"n5":"2.0.0"})");
  const StoreWriter draft;
  draft.put("zarr.json", R"({"zarr_format":"https://purl.org/zarr/spec/protocol/core/3.0","extensions":[]})");
  const StoreWriter other;
  other.put("attributes.json", R"({"n5 or not":1})");
  TestContext context;
  BOOST_TEST(recognises(look_at(n5.path())));
  BOOST_CHECK_EXCEPTION(n5.open(context), Error,
                        [](const Error& error) { return holds(error.what(), "N5"); });
  BOOST_TEST(recognises(look_at(draft.path())));
  BOOST_CHECK_EXCEPTION(draft.open(context), Error,
                        [](const Error& error) { return holds(error.what(), "draft"); });
  BOOST_TEST(!recognises(look_at(other.path())));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
