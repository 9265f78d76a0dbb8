// Graphs of the package igraph, in which monocle3 keeps its trajectories. Sources: igraph 1.3.5 and 2.1,
// `R/interface.R`, `src/rinterface_extra.c` (R_igraph_to_SEXP): a list of the number of vertices, whether it
// is directed, the ends of the edges from 0, four indices, and the attributes: of the graph, of vertices, of
// edges.
#include "formats/core/frames/common_type.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/schemas/robject/meaning.h"

namespace plainfs::robject {
namespace {

constexpr size_t kVertices = 0, kIsDirected = 1, kFrom = 2, kTo = 3, kAttributes = 8;
constexpr size_t kOfGraph = 1, kOfVertices = 2, kOfEdges = 3;

bool is_vector_of_numbers(const Value& value) {
  return value.is_vector() && (value.type == RType::real || value.type == RType::integer);
}

std::optional<uint64_t> count_of_vertices(const Value& graph) {
  const auto count =
      is_vector_of_numbers(*graph.items[kVertices]) ? graph.items[kVertices]->whole_numbers() : std::nullopt;
  if (!count || count->size() != 1 || (*count)[0] < 0) return std::nullopt;
  return static_cast<uint64_t>((*count)[0]);
}

bool is_directed(const Value& graph) {
  const auto directed = graph.items[kIsDirected]->whole_numbers();
  return directed && directed->size() == 1 && (*directed)[0] == 1;
}

const Value& attributes_of_part(const Value& graph, size_t part) {
  return *graph.items[kAttributes]->items[part];
}

// Returns the names of the vertices; null if they have none.
ArrayPtr vertex_names(const Value& graph, uint64_t vertices) {
  const ValuePtr names = attributes_of_part(graph, kOfVertices).item("name");
  const bool fits = names && names->type == RType::text && names->length() == vertices;
  return fits ? names->vector : nullptr;
}

// Returns the vertices at places, from 0, as their names, or else as their numbers from 1, which igraph uses.
ArrayPtr named_vertices(const Value& places, const ArrayPtr& names, uint64_t vertices) {
  const DType number = number_type(Kind::integer, 8);
  const ArrayPtr whole = with_type(with_missing_marked(places), number);
  const auto check = [vertices](int64_t place) {
    if (place < 0 || static_cast<uint64_t>(place) >= vertices)
      throw damaged("an edge refers to vertex {}, but there are {}", place, vertices);
  };
  if (!names)
    return mapped(whole, number, [check](Elements elements, const Box&) {
      for (int64_t& place : elements.mutable_values<int64_t>()) {
        check(place);
        ++place;
      }
      return elements;
    });
  return mapped(whole, text_type(), [check, texts = read_all(*names)](const Elements& elements, const Box&) {
    TextBuilder ends(elements.count);
    for (const int64_t place : elements.values<int64_t>()) {
      check(place);
      const auto vertex = static_cast<uint64_t>(place);
      if (texts.is_missing(vertex))
        ends.add_missing();
      else
        ends.add(texts.text(vertex));
    }
    return ends.finish();
  });
}

// Returns the attributes that have a value for each vertex or edge. Logs the others.
std::vector<Column> columns_of_part(const Value& attributes, uint64_t rows, std::string_view left_out,
                                    const View& view) {
  std::vector<Column> columns;
  const std::optional<std::vector<std::string>> names = attributes.item_names();
  for (size_t i = 0; names && i < names->size(); ++i) {
    const ValuePtr& values = attributes.items[i];
    if (values->is_vector() && values->length() == rows && (*names)[i] != left_out)
      columns.push_back({(*names)[i], meaning_of(*values, view).as_text()});
    else if ((*names)[i] != left_out)
      view.scope->context.notice(fmt::format("{}: attribute {} is left out", view.place.path, (*names)[i]));
  }
  return columns;
}

Content table_of_edges(const Value& graph, const View& view) try {
  const uint64_t vertices = *count_of_vertices(graph), edges = graph.items[kFrom]->length();
  const ArrayPtr names = vertex_names(graph, vertices);
  // igraph stores the higher vertex of an undirected edge first, and shows it last.
  const bool is_turned = !is_directed(graph);
  const Value &first = *graph.items[is_turned ? kTo : kFrom], &second = *graph.items[is_turned ? kFrom : kTo];
  std::vector<Column> columns{{"from", named_vertices(first, names, vertices)},
                              {"to", named_vertices(second, names, vertices)}};
  for (Column& column : columns_of_part(attributes_of_part(graph, kOfEdges), edges, "", view))
    columns.push_back(std::move(column));
  return frames::table_of(edges, nullptr, std::move(columns), view.place.path, view.scope->context);
} catch (const Error& error) {
  if (is_transient(error)) throw;
  return error;
}

// Returns the vertices as a table, and the attributes of the graph itself.
std::vector<Member> igraph_members(const Value& graph, const View& view) {
  const uint64_t vertices = *count_of_vertices(graph);
  const View place = view.at(view.place.inside("vertices", view.place.parent));
  Table table{vertices, vertex_names(graph, vertices), {}};
  table.columns = columns_of_part(attributes_of_part(graph, kOfVertices), vertices, "name", place);
  std::vector<Member> members = list_members(attributes_of_part(graph, kOfGraph), view);
  std::erase_if(members, [](const Member& member) { return member.name == "vertices"; });
  members.push_back({"vertices", Node{std::move(table)}});
  return members;
}

Attributes attributes_of_graph(const Value& graph) {
  Attributes attributes = attributes_of(graph);
  attributes.push_back({"directed", Json(is_directed(graph))});
  return attributes;
}

}  // namespace

bool is_igraph(const Value& value) {
  if (value.type != RType::list || !value.is_a("igraph") || value.items.size() <= kAttributes) return false;
  const Value& attributes = *value.items[kAttributes];
  if (attributes.type != RType::list || attributes.items.size() <= kOfEdges) return false;
  const Value &from = *value.items[kFrom], &to = *value.items[kTo];
  return count_of_vertices(value) && is_vector_of_numbers(from) && is_vector_of_numbers(to) &&
         from.length() == to.length();
}

Node igraph_node(const ValuePtr& graph, const View& view) {
  Node node;
  node.content = table_of_edges(*graph, view);
  node.attributes = [graph] { return attributes_of_graph(*graph); };
  node.parts = directory_at(
      view, [graph](const View& inside) { return igraph_members(*graph, inside); },
      [graph] { return attributes_of_graph(*graph); });
  return node;
}

}  // namespace plainfs::robject
