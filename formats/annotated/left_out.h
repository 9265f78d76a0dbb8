// The parts of a store that a generated file leaves out: the store's own tree, less those that the file
// took. No writer keeps a list of what it leaves out.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"

namespace plainfs {

// The places in a store of the parts of an annotated matrix. A place in the matrix is AnnData's: "/X",
// "/obs/n", "/obsm/X_pca". A place in the store is a path from its root: "/reductions/pca/cell.embeddings".
class Origins {
 public:
  // root: the group below which everything is a part of the matrix's store; null: add_left_out() names what
  // no file has.
  explicit Origins(GroupPtr root) : root_(std::move(root)) {}

  // Records that the part at `place`, with everything below it, was made of the part at `stored`. A part may
  // be made of several.
  void add(std::string place, std::string stored) { stored_.emplace(std::move(place), std::move(stored)); }
  // Records that the part at `place` was made of those, whatever was recorded before.
  void replace(const std::string& place, const std::vector<std::string>& stored) {
    stored_.erase(place);
    for (const std::string& one : stored) add(place, one);
  }
  // Records that a part of the store is in every file that is made of it: the number of cells, for example.
  void add_implied(std::string stored) { implied_.insert(std::move(stored)); }

  // Records that no file of the matrix has a part of the store. Requires: root is null.
  void add_left_out(std::string stored) { left_out_.push_back(std::move(stored)); }

  // Returns these places for files of a part of the store alone: what is outside of `root` is not theirs.
  Origins within(GroupPtr root) const {
    Origins generated(std::move(root));
    generated.stored_ = stored_;
    generated.implied_ = implied_;
    generated.left_out_ = left_out_;
    return generated;
  }

  const GroupPtr& root() const { return root_; }
  const std::set<std::string>& implied() const { return implied_; }
  const std::vector<std::string>& left_out() const { return left_out_; }
  // Returns the parts of the store of the part at `place` and of those below it. Without an origin of its own
  // a part is below its parent's.
  std::vector<std::string> of(const std::string& place) const;

 private:
  std::vector<std::string> own_or_inherited(const std::string& place) const;

  const GroupPtr root_;
  std::multimap<std::string, std::string> stored_;
  std::set<std::string> implied_;
  std::vector<std::string> left_out_;
};

// The parts of a store that one file takes. For one thread at a time.
class TakenParts {
 public:
  // origins: null = nothing is known of the store; then nothing is left out, but refusals.
  explicit TakenParts(OriginsPtr origins) : origins_(std::move(origins)) {}

  // Records that the file has the part at a place of the matrix, with everything below it.
  void take(const std::string& place);
  void take_stored(const std::string& stored) { taken_.insert(stored); }
  // Records that the file does not have the part, although one above it was taken. why: may be empty.
  void refuse(const std::string& place, const std::string& why);
  void refuse_stored(const std::string& stored, const std::string& why) { refused_[stored] = why; }

  // Adds what another matrix of the same store takes, refuses and implies, for a file of both.
  void add(const TakenParts& other);

  // Returns the places in the store of a part of the matrix; the place itself if they are unknown.
  std::vector<std::string> origins_of(const std::string& place) const;

  struct LeftOut {
    std::string path;  // in the store
    std::string why;   // may be empty
  };
  // Returns the parts that are not in the file, sorted as the store lists them. A group of which nothing was
  // taken is one part if it is at least two names deep. Lists the store and reads no data.
  std::vector<LeftOut> left_out(Context& context) const;

 private:
  const OriginsPtr origins_;
  std::set<std::string> taken_;
  std::map<std::string, std::string> refused_;  // with the reason
};

// Logs each part that is not in the file: "/uns/x: not in the .h5ad: WHY".
// prefix: what the lines begin with.
void note_parts_left_out(const TakenParts& taken, std::string_view file, Context& context,
                         std::string_view prefix = {});

}  // namespace plainfs
