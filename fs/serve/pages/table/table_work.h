// The work for tables that are sorted, filtered or searched: within the budget of all clients, and once for
// equal requests.
#pragma once

#include <memory>
#include <string>

#include "cache/lazy.h"
#include "cache/mutex.h"
#include "cache/recent.h"
#include "fs/serve/pages/table/table_page.h"
#include "fs/serve/site/work_budget.h"

namespace plainfs::serve {

// Returns the bytes that the page of a table takes for the rows that the query asks for, 0 if it is little.
uint64_t table_work_bytes(const Query& query, const Table& table);

// A cache of the last few results. Thread-safe.
class TableWork {
 public:
  // budget must outlive this.
  explicit TableWork(WorkBudget& budget) : budget_(budget) {}

  // Adds what add_table() adds. key: identifies the table, in one opening of its store, and the query. While
  // one request with a key is answered, others with this key wait for its result. Throws the errors of
  // reading, and Busy.
  void add(const std::string& key, const Query& query, const Table& table, PageModel& page);

 private:
  using Result = Lazy<PageModel>;  // only the members that add_table() adds
  std::shared_ptr<const Result> result_of(const std::string& key);

  WorkBudget& budget_;
  Mutex mutex_;
  Recent<std::string, std::shared_ptr<const Result>> kept_ GUARDED_BY(mutex_){64};
};

}  // namespace plainfs::serve
