#include "fs/serve/pages/model/number_table.h"

#include <cmath>
#include <cstring>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/elements/elements.h"

namespace plainfs::serve {
namespace {

template <class Number>
Elements elements_of_numbers(const std::vector<Number>& numbers) {
  Elements elements;
  elements.count = numbers.size();
  elements.bytes.resize(numbers.size() * sizeof(Number));
  if (!numbers.empty()) std::memcpy(elements.bytes.data(), numbers.data(), elements.bytes.size());
  return elements;
}

}  // namespace

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
  Elements elements = elements_of_numbers(numbers);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isnan(numbers[i])) continue;
    elements.missing.resize(numbers.size());
    elements.missing[i] = 1;
  }
  add(std::move(name), std::make_shared<MemoryArray>(number_type(Kind::real, sizeof(double)),
                                                     Shape{numbers.size()}, std::move(elements)));
}

void NumberTable::add(std::string name, const std::vector<uint64_t>& counts) {
  add(std::move(name), std::make_shared<MemoryArray>(number_type(Kind::unsigned_integer, sizeof(uint64_t)),
                                                     Shape{counts.size()}, elements_of_numbers(counts)));
}

std::vector<TakeAs> number_files(const Query& query) {
  std::vector<TakeAs> files;
  for (const char* const form : kNumberForms)
    files.push_back({form, query.with("from", {}).with("numbers", form).href()});
  return files;
}

}  // namespace plainfs::serve
