// What a page is about: a folder, or a member of a store with all the names under which views show it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fs/serve/folder.h"
#include "fs/serve/page_model.h"

namespace plainfs::serve {

struct Subject {
  Site::Place place;                   // of its folder; where it has none, of the folder that it lies in
  bool has_folder = true;              // of its own, which the page then is of
  std::string name;                    // of the member; empty of a root and of what is no member
  std::optional<OpenMeaning> meaning;  // null: the folder of all stores
  std::vector<FolderEntry> beside;     // of the same member, files: "obs.csv"
  std::vector<FolderEntry> inside;     // of its own folder

  const Node& node() const { return meaning->what.node; }
  Context& context() const { return *meaning->what.context; }
};

// Of a folder.
Subject folder_subject(const Asked& asked, const Site::Place& folder);
// Of a member without a folder, by its name in folder; nullopt where there is none.
std::optional<Subject> member_subject(const Asked& asked, const Site::Place& folder, const std::string& name);

// The forms in which a page shows entries that stand for something: files, and folders of files that are one
// form, "10x/". way: from the page to where the entries are.
// Small ones are measured, so that their size is told.
std::vector<TakeAs> forms_of(const std::vector<FolderEntry>& entries, const std::string& way,
                             const std::string& stem, const Node& node);

// What a store or a folder holds, down to what is data, each once. Of a folder of very many the first.
void add_contents(const Asked& asked, const std::vector<FolderEntry>& entries, PageModel& page);

}  // namespace plainfs::serve
