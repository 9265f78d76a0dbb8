#include "fs/serve/pages/table/table_work.h"

#include <algorithm>
#include <iterator>

#include "fs/serve/pages/table/row_order.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kMaxFreeRows = 20'000;
constexpr uint64_t kBytesARow = 28;  // numbers of 8 bytes, and up to five lists of rows

template <class T>
void append(const std::vector<T>& more, std::vector<T>& list) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

uint64_t table_work_bytes(const Query& query, const Table& table) {
  const bool is_ordered = query.value("sort") || query.value("where") || query.value("find");
  return is_ordered && table.rows > kMaxFreeRows ? std::min(table.rows, kMaxSortedRows) * kBytesARow : 0;
}

std::shared_ptr<const TableWork::Result> TableWork::result_of(const std::string& key) {
  const MutexLock lock(mutex_);
  if (const auto* const kept = kept_.find(key)) return *kept;
  auto result = std::make_shared<const Result>();
  kept_.keep(key, result);
  return result;
}

void TableWork::add(const std::string& key, const Query& query, const Table& table, PageModel& page) {
  const uint64_t bytes = table_work_bytes(query, table);
  if (bytes == 0) return add_table(query, table, page);
  const std::shared_ptr<const Result> result = result_of(key);
  const PageModel& added = result->get([&] {
    const WorkBudget::Share share = budget_.take(bytes);
    PageModel parts;
    add_table(query, table, parts);
    return parts;
  });
  append(added.sections, page.sections);
  append(added.problems, page.problems);
}

}  // namespace plainfs::serve
