// What passes over a store's content have found out for one file: with it the file is opened again without
// them, later in this mount (fs/tree/open_views.h) or in another one (fs/index).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/error.h"
#include "formats/core/model/array.h"

namespace plainfs {

// What was found out before is not what is found now: the store was changed in a way that could not be seen,
// or what another session has left is wrong. What came from there is given up.
class Outdated : public Error {
 public:
  explicit Outdated(const std::string& message) : Error(Errc::unreadable, message) {}
};

struct Finding {
  // Of what, and the version of what is found: "csv array 1". A change of what the same content comes to (a
  // text, where its blocks begin) changes the name. Empty: of no use in another session.
  std::string name;
  std::string text;
  std::vector<uint64_t> numbers;
  // Whether another session may have it, without the text: numbers that are all compared with the store when
  // they are used, as the length of a file or a block is. What decides bytes by itself is found out anew.
  bool is_kept = false;
};
using FindingPtr = std::shared_ptr<const Finding>;
using Findings = std::vector<FindingPtr>;

// The findings of one file while it is open. Thread-safe.
class Notebook {
 public:
  // While it lives, the calling thread's noted() writes to a notebook, and reads in it from the beginning.
  class Scope {
   public:
    explicit Scope(Notebook& notebook);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    friend Notebook;
    Notebook& notebook_;
    Scope* const before_;
    std::map<std::string, size_t, std::less<>> asked_;  // how often, by name
  };

  Findings all() const;
  void adopt(Findings findings);
  void clear();

 private:
  friend FindingPtr noted(std::string_view name, const std::function<Finding()>& find);
  friend FindingPtr noted(std::string_view name, const Array& array, const std::function<Finding()>& find);
  static FindingPtr in_scope(std::string_view name, const std::function<FindingPtr()>& find);
  FindingPtr find(std::string_view name, size_t number) const;
  void add(FindingPtr finding);

  mutable Mutex mutex_;
  Findings findings_ GUARDED_BY(mutex_);  // of one name in the order in which they are asked for
};

// What find() gives, under that name, or what it gave when the same question was asked before: within a
// scope, the n-th of a name. Without one nothing is kept. Requires: what is asked, and in which order,
// depends on the store alone.
FindingPtr noted(std::string_view name, const std::function<Finding()>& find);
// The same of what depends on the array alone: what was found out for one file is there for every other that
// shows the same array, while that is in use.
FindingPtr noted(std::string_view name, const Array& array, const std::function<Finding()>& find);

}  // namespace plainfs
