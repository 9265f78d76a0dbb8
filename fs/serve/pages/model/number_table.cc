#include "fs/serve/pages/model/number_table.h"

#include <cmath>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/elements/elements.h"

namespace plainfs::serve {

void NumberTable::add(std::string name, ArrayPtr values) {
  table_.rows = values->count();
  table_.columns.push_back({std::move(name), std::move(values)});
}

void NumberTable::add(std::string name, const std::vector<Text>& texts) {
  TextBuilder builder(texts.size());
  for (const Text& one : texts) {
    if (one.is_missing)
      builder.add_missing();
    else
      builder.add(one.text);
  }
  add(std::move(name), std::make_shared<MemoryArray>(text_type(), Shape{texts.size()}, builder.finish()));
}

void NumberTable::add(std::string name, const std::vector<std::string>& texts) {
  add(std::move(name), text_array(texts));
}

void NumberTable::add(std::string name, const std::vector<double>& numbers) {
  Elements elements = read_all(*number_array(numbers));
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isnan(numbers[i])) continue;
    elements.missing.resize(numbers.size());
    elements.missing[i] = 1;
  }
  add(std::move(name), std::make_shared<MemoryArray>(number_type(Kind::real, sizeof(double)),
                                                     Shape{numbers.size()}, std::move(elements)));
}

void NumberTable::add(std::string name, const std::vector<uint64_t>& counts) {
  add(std::move(name), number_array(counts));
}

std::vector<TakeAs> number_files(const Query& query) {
  std::vector<TakeAs> files;
  for (const char* const form : kNumberForms)
    files.push_back({form, query.with("from", {}).with("numbers", form).href()});
  return files;
}

}  // namespace plainfs::serve
