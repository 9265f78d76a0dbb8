// The subject of a page: a folder, or a member of a store with all the names under which views show it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/site/folder.h"

namespace plainfs::serve {

struct Subject {
  Site::Place place;                   // of its folder or, if it has none, of the folder that contains it
  bool has_folder = true;              // a folder of its own, which is the page's place
  std::string name;                    // of the member; empty for a root and for entries that are not members
  std::optional<OpenMeaning> meaning;  // null: the folder of all stores
  std::vector<FolderEntry> beside;     // files of the same member: "obs.csv"
  std::vector<FolderEntry> inside;     // entries of its own folder

  const Node& node() const { return meaning->what.node; }
  Context& context() const { return *meaning->what.context; }
};

// Returns the subject of a folder.
Subject folder_subject(const Exchange& exchange, const Site::Place& folder);
// Returns the subject of a member without a folder, by its name in `folder`; nullopt if it is missing.
std::optional<Subject> member_subject(const Exchange& exchange, const Site::Place& folder,
                                      const std::string& name);

// Returns whether it is a file or folder that the group of a CF dataset has for one of its variables.
bool is_of_variable(const FolderEntry& entry);

// Adds the size of a file, or the reason why it cannot be read. It may take a pass over the content.
void measure(const Exchange& exchange, const FolderEntry& entry, TakeAs& form);

// Returns the forms in which a page offers the entries: files, and folders of files that are one form,
// "10x/". href: the path from the page to the entries, "" or "obs/". stem: their names begin with it, and the
// labels of the forms are without it. Small files are measured to show their size, or the reason why they
// cannot be read.
std::vector<TakeAs> forms_of(const Exchange& exchange, const std::vector<FolderEntry>& entries,
                             const std::string& href, const std::string& stem);

// Returns the members of a store or a folder, down to the data, each once. A very large folder is cut.
Contents contents_of(const Exchange& exchange, const std::vector<FolderEntry>& entries);

}  // namespace plainfs::serve
