#include "formats/schemas/matlab/variables.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"
#include "tests/support/store_nodes.h"
#include "tests/support/test_context.h"

namespace plainfs::matlab {
namespace {

Attributes of_class(const char* name, Attributes more = {}) {
  more.push_back({"MATLAB_class", Json(name)});
  return more;
}

Node references(const std::vector<std::string>& paths, Shape shape, Attributes attributes) {
  DType type;
  type.kind = Kind::reference;
  TextBuilder builder(paths.size());
  for (const std::string& path : paths) builder.add(path);
  return Node{LabelledArray{
      std::make_shared<MemoryArray>(type, std::move(shape), builder.finish(), std::move(attributes)),
      {},
      {}}};
}

// A file with a different fault for each test.
struct MatlabFile {
  std::shared_ptr<MemoryGroup> root = std::make_shared<MemoryGroup>();
  std::shared_ptr<MemoryGroup> referenced = root->add_group("#refs#");
  TestContext context;

  Node at(const char* name) {
    std::optional<Node> node = variables_of({root, context})->find(name);
    BOOST_TEST_REQUIRE(node.has_value());
    return *node;
  }
  std::string error_at(const char* name) {
    const Node node = at(name);
    const Error* error = std::get_if<Error>(&node.content);
    return error ? error->what() : "";
  }
};

BOOST_AUTO_TEST_SUITE(matlab_variables)

BOOST_AUTO_TEST_CASE(numbers_are_column_major_and_truth_values_logical) {
  MatlabFile file;
  file.root->add("m", array_node<double>({1, 4, 2, 5, 3, 6}, {3, 2}, of_class("double")));
  file.root->add("b", array_node<int8_t>({1, 0}, {2, 1}, of_class("logical")));
  const auto numbers = std::get<LabelledArray>(file.at("m").content);
  BOOST_TEST(numbers.values->column_major());
  BOOST_TEST(std::get<LabelledArray>(file.at("b").content).values->dtype().is_truth());
}

BOOST_AUTO_TEST_CASE(empty_variable_with_elements_is_damaged) {
  MatlabFile file;
  const Attributes attributes = of_class("double", {{"MATLAB_empty", Json::of(int64_t{1})}});
  file.root->add("e", array_node<int64_t>({0, 3}, {2}, attributes));
  file.root->add("bad", array_node<int64_t>({2, 3}, {2}, attributes));
  BOOST_TEST(std::get<LabelledArray>(file.at("e").content).values->shape() == (Shape{3, 0}),
             boost::test_tools::per_element());
  BOOST_TEST(file.error_at("bad") == "/bad: an empty variable has 6 elements");
}

BOOST_AUTO_TEST_CASE(cell_of_texts_is_an_array_of_them) {
  MatlabFile file;
  file.referenced->add("a", array_node<int16_t>({'x', 'y'}, {2, 1}, of_class("char")));
  file.referenced->add("b", array_node<double>({1}, {1, 1}, of_class("double")));
  file.root->add("texts", references({"/#refs#/a", "/#refs#/a"}, {2, 1}, of_class("cell")));
  file.root->add("mixed", references({"/#refs#/a", "/#refs#/b"}, {2, 1}, of_class("cell")));
  const Node all_texts = file.at("texts");
  BOOST_TEST(shown(*std::get<LabelledArray>(all_texts.content).values) == (Texts{"xy", "xy"}),
             boost::test_tools::per_element());
  const Node mixed = file.at("mixed");
  BOOST_TEST_REQUIRE(mixed.parts != nullptr);
  BOOST_TEST(mixed.parts->members().size() == 2u);
  BOOST_TEST(mixed.parts->members()[1].name == "2");
}

BOOST_AUTO_TEST_CASE(dangling_or_cyclic_cell_is_damaged) {
  MatlabFile file;
  file.root->add("nowhere", references({"/#refs#/none"}, {1, 1}, of_class("cell")));
  file.root->add("itself", references({"/itself"}, {1, 1}, of_class("cell")));
  BOOST_TEST(file.error_at("nowhere") == "/nowhere: a reference to /#refs#/none, which is missing");
  Node node = file.at("itself");
  int depth = 0;
  for (; node.parts; ++depth) node = node.parts->members().at(0).node;
  BOOST_TEST(depth == 64);
  BOOST_TEST(
      std::string(std::get<Error>(node.content).what()).find("cells and structs nested more than 64 deep") !=
      std::string::npos);
}

BOOST_AUTO_TEST_CASE(fields_keep_the_order_of_the_struct) {
  MatlabFile file;
  const auto one = file.root->add_group("one");
  one->set_attributes(of_class("struct", {{"MATLAB_fields", Json::List{texts({"z"}), texts({"a", "b"})}}}));
  one->add("ab", array_node<double>({1}, {1, 1}, of_class("double")));
  one->add("z", array_node<double>({1}, {1, 1}, of_class("double")));
  const std::vector<Member> members = file.at("one").parts->members();
  BOOST_TEST(members.at(0).name == "z");
  BOOST_TEST(members.at(1).name == "ab");
}

BOOST_AUTO_TEST_CASE(struct_of_several_is_a_directory_for_each) {
  MatlabFile file;
  file.referenced->add("a", array_node<double>({40}, {1, 1}, of_class("double")));
  const auto several = file.root->add_group("several");
  several->set_attributes(of_class("struct"));
  several->add("age", references({"/#refs#/a", "/#refs#/a"}, {2, 1}, {}));
  several->add("short", references({"/#refs#/a"}, {1, 1}, {}));
  const std::vector<Member> elements = file.at("several").parts->members();
  BOOST_TEST_REQUIRE(elements.size() == 2u);
  const std::vector<Member> fields = elements[1].node.parts->members();
  BOOST_TEST(fields.at(0).name == "age");
  BOOST_TEST(std::holds_alternative<Error>(fields.at(1).node.content));
}

// An array that a file claims to have, and that cannot be read.
class UnreadArray : public Array {
 public:
  UnreadArray(Kind kind, Shape shape, Attributes attributes)
      : Array(number_type(kind, 8), std::move(shape)), attributes_(std::move(attributes)) {}
  Elements read(const Box&) const override { throw unreadable("the disk fails"); }
  Attributes attributes() const override { return attributes_; }

 private:
  const Attributes attributes_;
};

Node unread_node(Kind kind, Shape shape, Attributes attributes) {
  Node node;
  node.content =
      LabelledArray{std::make_shared<UnreadArray>(kind, std::move(shape), std::move(attributes)), {}, {}};
  return node;
}

BOOST_AUTO_TEST_CASE(cell_of_very_many_elements_is_unsupported) {
  MatlabFile file;
  file.root->add("many", unread_node(Kind::reference, {1, uint64_t{1} << 40}, of_class("cell")));
  BOOST_TEST(file.error_at("many") == "/many: a cell or struct of 1099511627776 elements, more than 1000000");
}

BOOST_AUTO_TEST_CASE(temporary_error_is_not_kept) {
  MatlabFile file;
  const Attributes attributes = of_class("double", {{"MATLAB_empty", Json::of(int64_t{1})}});
  file.root->add("e", unread_node(Kind::unsigned_integer, {2}, attributes));
  BOOST_CHECK_EXCEPTION(variables_of({file.root, file.context})->find("e"), Error,
                        mentions("the disk fails"));
}

BOOST_AUTO_TEST_CASE(sparse_matrix_has_one_column_less_than_pointers) {
  MatlabFile file;
  const Attributes attributes = of_class("double", {{"MATLAB_sparse", Json::of(int64_t{3})}});
  for (const char* name : {"good", "empty", "bad", "half"}) {
    const auto group = file.root->add_group(name);
    group->set_attributes(attributes);
    if (std::string_view(name) != "bad") group->add("jc", array_node<int64_t>({0, 1, 1}));
    if (std::string_view(name) == "good" || std::string_view(name) == "half")
      group->add("data", array_node<double>({1}));
    if (std::string_view(name) == "good") group->add("ir", array_node<int64_t>({2}));
  }
  const auto matrix = std::get<SparseMatrix>(file.at("good").content);
  BOOST_TEST(matrix.rows == 3u);
  BOOST_TEST(matrix.columns == 2u);
  BOOST_TEST(std::get<SparseMatrix>(file.at("empty").content).value->count() == 0u);
  BOOST_TEST(file.error_at("bad") == "/bad: jc of a sparse matrix is missing or empty");
  BOOST_TEST(file.error_at("half") == "/half: ir of a sparse matrix is missing");
}

BOOST_AUTO_TEST_CASE(objects_are_shown_as_stored_with_a_notice) {
  MatlabFile file;
  file.root->add("o", array_node<int32_t>({1, 2}, {2, 1}, of_class("datetime")));
  BOOST_TEST(std::get<LabelledArray>(file.at("o").content).values->count() == 2u);
  BOOST_TEST(file.context.warned("/o: a MATLAB datetime is shown as the numbers that represent it"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::matlab
