// Names of the parts of something that has many alike (genes, cells, columns of a table, levels of a factor),
// as directories list them and users ask for them: one label for each, its ids too, several at once in a
// list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/model/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

// As a file name has it, of any length: as encode_name(), and "%00" where it is empty.
std::string encode_part(std::string_view stored);
// The same in a list: the separator (',' or '+') is percent-encoded too, and then '%' as ever.
std::string encode_in_list(std::string_view stored, char separator);

// Two names that a file system could not tell apart are the same name here. Immutable and thread-safe.
class PartNames {
 public:
  // what: "gene", for messages. ids: none, or as many as names.
  PartNames(std::string what, std::vector<std::string> names, std::vector<std::string> ids = {});

  uint64_t count() const { return names_.size(); }
  // What tells the part from all others: its name where no other has it; else its id, where no other has that
  // and it is no other's name; else its name with ~1, ~2, … of those that are left, in order.
  const std::string& label(uint64_t part) const;
  // The label as the name of a file with that extension, or of a directory.
  std::string file(uint64_t part, std::string_view extension = {}) const;

  struct Asked {
    uint64_t part;
    std::string name;  // as it was asked for: the label, or the id
  };
  // The part whose label, or else whose id, is asked for as the name of a file without its extension; nullopt
  // where there is none. Throws not_unique, with the labels, where it is the name of several.
  std::optional<Asked> find(std::string_view asked, std::string_view extension = {}) const;
  // The same of one or several with separators between them, in the order in which they are asked for: what
  // is a name as a whole is that.
  std::optional<std::vector<Asked>> find_list(std::string_view asked, std::string_view extension,
                                              char separator) const;

  size_t allocated_bytes() const;

 private:
  // Finds texts by their encoded forms.
  class Index {
   public:
    explicit Index(const std::vector<std::string>& texts);
    // Those that are encoded so, in order; no more than most.
    std::vector<uint64_t> find(std::string_view encoded, size_t most = SIZE_MAX) const;
    size_t allocated_bytes() const { return places_.capacity() * sizeof(Place); }

   private:
    struct Place {
      uint64_t hash;
      uint64_t part;
      auto operator<=>(const Place&) const = default;
    };
    const std::vector<std::string>& texts_;
    std::vector<Place> places_;
  };

  void label_by_id(uint64_t part);
  void label_by_number(uint64_t part, uint64_t& number);
  void give_labels();
  std::optional<Asked> find_in_list(std::string_view item, char separator) const;
  std::string labels_of(const std::vector<uint64_t>& parts) const;

  const std::string what_;
  const std::vector<std::string> names_;
  const std::vector<std::string> ids_;
  const Index by_name_;
  const Index by_id_;
  std::unordered_map<uint64_t, std::string> labels_;    // of those that have not their name
  std::unordered_map<std::string, uint64_t> by_label_;  // the same the other way round, labels encoded
  std::vector<uint64_t> long_;                          // those whose labels may have to be cut
};

// The names of a list that is read when they are asked for. The cache keeps them, once for all that have the
// same arrays. Const and thread-safe.
class PartNameList {
 public:
  // what: "gene". names: as a .csv spells them, a missing one NA. ids: as many, else they are not used; or
  // null. context outlives this.
  PartNameList(std::string what, ArrayPtr names, ArrayPtr ids, Context& context)
      : what_(std::move(what)), names_(std::move(names)), ids_(std::move(ids)), context_(context) {}

  // Reads all into memory. Throws unsupported if they would take more than half of the cache and some MiB.
  std::shared_ptr<const PartNames> get() const;

 private:
  const std::string what_;
  const ArrayPtr names_, ids_;
  Context& context_;
  mutable Mutex mutex_;
  mutable std::shared_ptr<const PartNames> kept_ GUARDED_BY(mutex_);  // what the cache has no room for
};

// The label of each.
ArrayPtr labels_of(std::shared_ptr<const PartNames> names);

}  // namespace plainfs
