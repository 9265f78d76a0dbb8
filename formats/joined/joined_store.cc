#include "formats/joined/joined_store.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/join.h"
#include "formats/annotated/main_part.h"
#include "formats/annotated/selection.h"
#include "formats/open_store.h"

namespace plainfs {

namespace {

// A store to join, opened.
struct OpenMember {
  JoinOptions::Member named;
  FoundAnnotatedMatrix matrix;
};

OpenMember open_member(const JoinOptions::Member& named, Context& context) {
  try {
    Context& own = context.of_store(named.location);
    std::optional<FoundAnnotatedMatrix> matrix = main_matrix(open_store(named.location, own).root, own);
    if (!matrix) throw unsupported("not a matrix of cells by genes, so it cannot be joined with others");
    return {named, *std::move(matrix)};
  } catch (const Error& error) {
    throw error.at(named.location);
  }
}

AnnotatedMatrix matrix_of_members(const std::vector<OpenMember>& members, const JoinRule& rule,
                                  Context& context) {
  std::vector<MatrixToJoin> matrices;
  for (const OpenMember& member : members) {
    try {
      matrices.push_back({member.named.label, member.matrix.make()});
    } catch (const Error& error) {
      throw error.at(member.named.location);
    }
  }
  return joined_matrix(std::move(matrices), rule, context);
}

// The root of joined stores.
class JoinedGroup : public AnnotatedGroup {
 public:
  using AnnotatedGroup::AnnotatedGroup;

  bool is_selection() const override { return false; }
  std::vector<Member> members() const override;
};

std::vector<Member> JoinedGroup::members() const {
  std::vector<Member> all = AnnotatedGroup::members();
  const auto whole = std::make_shared<const AnnotatedMatrix>(matrix());
  const auto room = [this](const char* name, ListedGroup::List list) -> Member {
    return {name, {{}, std::make_shared<ListedGroup>(shared_from_this(), member_path(*this, name), list)}};
  };
  if (!whole->obsp.empty())
    all.push_back(room("obsp", [whole](const GroupPtr& self) {
      std::vector<Member> graphs;
      for (const AnnotatedPart& part : whole->obsp) {
        Content content = part.content;
        if (auto* const graph = std::get_if<SparseMatrix>(&content))
          graph->row_names = graph->column_names = whole->obs.row_names;
        graphs.push_back({part.name,
                          {std::move(content),
                           std::make_shared<ListedGroup>(self, member_path(*self, part.name), nullptr)}});
      }
      return graphs;
    }));
  if (!whole->uns.empty()) all.push_back(room("uns", [whole](const GroupPtr&) { return whole->uns; }));
  return all;
}

Json join_details(const JoinOptions& join) {
  Json::List stores;
  for (const JoinOptions::Member& store : join.stores)
    stores.push_back(Json::Object{{"store", store.location}, {"label", store.label}});
  Json::Object details{{"join", join.is_outer ? "outer" : "inner"}};
  if (!join.column.empty()) details.emplace_back("label", join.column);
  details.emplace_back("stores", std::move(stores));
  return details;
}

}  // namespace

Store open_named_store(const std::string& path, Context& context) {
  const std::shared_ptr<const JoinOptions> join = context.options.join;
  if (!join) return open_store(path, context);
  Store store;
  store.path = join->stores.front().location;
  store.format = "joined stores";
  store.details.emplace_back("joined", join_details(*join));
  store.facts.push_back({"stores", std::to_string(join->stores.size())});
  std::vector<OpenMember> members;
  for (const JoinOptions::Member& named : join->stores) {
    members.push_back(open_member(named, context));
    store.joined.push_back(named.location);
  }
  const JoinRule rule{join->is_outer, join->column};
  const auto nothing = std::make_shared<ListedGroup>(nullptr, "/", std::vector<Member>());
  const auto root = std::make_shared<JoinedGroup>(nothing, [members = std::move(members), rule, &context] {
    return matrix_of_members(members, rule, context);
  });
  (void)root->matrix();  // stores that do not fit are refused at once
  store.root.parts = root;
  return store;
}

}  // namespace plainfs
