#include "fs/text/findings.h"

#include <utility>

#include "cache/mutex.h"

namespace plainfs {
namespace {

Notebook::Scope*& current() {
  static thread_local Notebook::Scope* scope = nullptr;
  return scope;
}

FindingPtr named(std::string_view name, Finding finding) {
  finding.name = name;
  return std::make_shared<const Finding>(std::move(finding));
}

}  // namespace

Notebook::Scope::Scope(Notebook& notebook) : notebook_(notebook), before_(std::exchange(current(), this)) {}

Notebook::Scope::~Scope() {
  current() = before_;
}

Findings Notebook::all() const {
  const MutexLock lock(mutex_);
  return findings_;
}

void Notebook::adopt(Findings findings) {
  const MutexLock lock(mutex_);
  findings_ = std::move(findings);
}

void Notebook::clear() {
  const MutexLock lock(mutex_);
  findings_.clear();
}

// Null where there are not so many of that name.
FindingPtr Notebook::find(std::string_view name, size_t number) const {
  const MutexLock lock(mutex_);
  for (const FindingPtr& finding : findings_)
    if (finding->name == name && number-- == 0) return finding;
  return nullptr;
}

void Notebook::add(FindingPtr finding) {
  const MutexLock lock(mutex_);
  findings_.push_back(std::move(finding));
}

// In the calling thread's notebook, or as find() has it.
FindingPtr Notebook::in_scope(std::string_view name, const std::function<FindingPtr()>& find) {
  Scope* const scope = current();
  if (!scope) return find();
  const size_t number = scope->asked_[std::string(name)]++;
  if (FindingPtr known = scope->notebook_.find(name, number)) return known;
  FindingPtr made = find();
  scope->notebook_.add(made);
  return made;
}

FindingPtr noted(std::string_view name, const std::function<Finding()>& find) {
  return Notebook::in_scope(name, [&] { return named(name, find()); });
}

FindingPtr noted(std::string_view name, const Array& array, const std::function<Finding()>& find) {
  return Notebook::in_scope(name, [&] {
    if (FindingPtr known = array.noted<Finding>(name)) return known;
    FindingPtr found = named(name, find());
    array.note(name, found);
    return found;
  });
}

}  // namespace plainfs
