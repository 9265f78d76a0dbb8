// Names of the parts of an object that has many of them (genes, cells, columns of a table, levels of a
// factor), for listings and lookups. Each part has one label; a lookup also accepts its id, and several names
// in a list.
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
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"
#include "formats/core/model/elements/elements.h"

namespace plainfs {

// Returns a name encoded for a file name, of any length: like encode_name(), and "%00" if it is empty.
std::string encode_part(std::string_view stored);
// Returns a name encoded for a list: the separator (',' or '+') is percent-encoded too, and then so is '%'.
std::string encode_in_list(std::string_view stored, char separator);

// An index of part names. Names that have the same encoding count as the same name. Immutable and
// thread-safe.
class PartNames {
 public:
  // what: "gene", for messages. ids: empty, or as many as names. Neither has a missing text.
  PartNames(std::string what, Elements names, Elements ids);
  PartNames(std::string what, const std::vector<std::string>& names,
            const std::vector<std::string>& ids = {});

  uint64_t count() const { return names_.count; }
  // Returns the unique label of the part: its name if no other part has it; otherwise its id, if no other
  // part has that and it is no other part's name; otherwise its name with ~1, ~2, ... in the order of such
  // parts.
  std::string_view label(uint64_t part) const;
  // Returns the label as the name of a file with an extension, or of a directory.
  std::string file(uint64_t part, std::string_view extension = {}) const;

  struct Match {
    uint64_t part;
    std::string name;  // as requested: the label or the id
  };
  // Returns the part with the label, or else the id, `asked`: a file name without its extension. Returns
  // nullopt if missing. Throws not_unique, with the labels, if several parts match.
  std::optional<Match> find(std::string_view asked, std::string_view extension = {}) const;
  // Returns one or more parts separated by `separator`, in the order requested. A text that is a name as a
  // whole is that name.
  std::optional<std::vector<Match>> find_list(std::string_view asked, std::string_view extension,
                                              char separator) const;

  size_t allocated_bytes() const;

 private:
  // A map from encoded texts to parts.
  class Index {
   public:
    explicit Index(const Elements& texts);
    // Returns the parts with that encoding, in order; at most `most`.
    std::vector<uint64_t> find(std::string_view encoded, size_t most = SIZE_MAX) const;
    size_t allocated_bytes() const { return places_.capacity() * sizeof(Place); }

   private:
    // Half of the hash is enough, since the texts are compared. Lists of more than 2^32 names are refused.
    struct Place {
      uint32_t hash;
      uint32_t part;
      auto operator<=>(const Place&) const = default;
    };
    const Elements& texts_;
    std::vector<Place> places_;
  };

  void label_by_id(uint64_t part);
  void label_by_number(uint64_t part, uint64_t& number);
  void give_labels();
  std::optional<Match> find_in_list(std::string_view item, char separator) const;
  std::string labels_of(const std::vector<uint64_t>& parts) const;

  const std::string what_;
  const Elements names_;  // texts side by side: a list may have millions
  const Elements ids_;
  const Index by_name_;
  const Index by_id_;
  std::unordered_map<uint64_t, std::string> labels_;    // for parts with labels other than their names
  std::unordered_map<std::string, uint64_t> by_label_;  // the reverse of labels_, with encoded labels
  std::vector<uint64_t> long_;                          // parts with labels that may have to be cut
};

// A list of names that is read on first use. The cache keeps one copy for all lists of the same arrays. Const
// and thread-safe.
class PartNameList {
 public:
  // what: "gene". names: as in a .csv, a missing one as NA. ids: null, or as many as names, otherwise
  // ignored. context outlives this object.
  PartNameList(std::string what, ArrayPtr names, ArrayPtr ids, Context& context)
      : what_(std::move(what)), names_(std::move(names)), ids_(std::move(ids)), context_(context) {}

  // Reads all names into memory. Throws unsupported if they would take more than half of the cache plus some
  // MiB.
  std::shared_ptr<const PartNames> get() const;

 private:
  const std::string what_;
  const ArrayPtr names_, ids_;
  Context& context_;
  mutable Mutex mutex_;
  mutable std::shared_ptr<const PartNames> kept_ GUARDED_BY(mutex_);  // set if the cache has no room
};

// Returns the labels as an array.
ArrayPtr labels_of(std::shared_ptr<const PartNames> names);

}  // namespace plainfs
