// What stands in a directory of a takane object: its files, its folders (objects of their own mostly), its
// HDF5 files as directories. Types that mean more than their files say how theirs differs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

class DirectoryGroup : public Group {
 public:
  struct Rules {
    // Files that are not listed under their own names: what is added is made of them.
    std::vector<std::string> replaced;
    // The names of the sides of what a folder holds; null: none.
    std::function<SideNames(const std::string& folder)> sides;
    // Members besides the stored ones, listed last, found under their names where nothing is stored there.
    // Called whenever they are listed; throws as members() does. Null: none.
    std::function<std::vector<Member>(const GroupPtr& self)> added;
  };

  DirectoryGroup(ObjectPlace place, Context& context) : DirectoryGroup(std::move(place), Rules{}, context) {}
  DirectoryGroup(ObjectPlace place, Rules rules, Context& context)
      : place_(std::move(place)), rules_(std::move(rules)), context_(context) {}

  std::vector<Member> members() const override;
  std::optional<Node> find(std::string_view name) const override;
  GroupPtr parent() const override { return place_.parent; }
  std::string path() const override { return place_.path; }

 private:
  bool is_listed(std::string_view name) const;
  Member stored_member(const std::string& name) const;
  std::vector<Member> added() const;

  const ObjectPlace place_;
  const Rules rules_;
  Context& context_;
};

// What stands where a directory that might be anything cannot be opened: listing it throws.
GroupPtr unreadable_group(const ObjectPlace& place, const Error& error);

// An object whose arrays stand in one file of its own: members in place of it, and its other files and
// folders.
GroupPtr object_group(const ObjectPlace& place, std::string file, std::vector<Member> members,
                      Context& context);

// The group of that name in an HDF5 file of the object at place. Throws where there is none.
GroupPtr open_file_group(const ObjectPlace& place, const std::string& file, const std::string& group,
                         Context& context);

// The entries of a folder by name, in byte order: files and folders; those whose names start with "." left
// out.
std::vector<std::string> directory_entries(const std::string& directory, Context& context);
Member plain_file_member(const std::string& directory, const std::string& name);

}  // namespace plainfs::takane
