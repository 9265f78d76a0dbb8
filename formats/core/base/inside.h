// Files inside other files: the content of a compressed file, the members of an archive. Their locations
// continue that of the file: "FOLDER/x.tar/a.h5ad".
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/file.h"
#include "formats/core/base/key_store.h"

namespace plainfs {

class Sources;

// The files inside one file, by keys with "/" between folders. Immutable and thread-safe.
class FileTree {
 public:
  virtual ~FileTree() = default;
  // Opens a file. Returns null if no file has this key. Throws the reason if the key has an entry that
  // cannot be read.
  virtual FilePtr open(const std::string& key) const = 0;
  virtual EntryKind kind_of(const std::string& key) const = 0;
  // Returns the entries directly inside a folder ("" = the root), sorted by name. Empty if there is no such
  // folder.
  virtual std::vector<Entry> list(const std::string& folder) const = 0;
};
using FileTreePtr = std::shared_ptr<const FileTree>;

// A file of another name and size within a file, with the version of that file.
class InnerFile : public File {
 public:
  bool is_remote() const override { return outer_->is_remote(); }
  void check_unchanged() const override { outer_->check_unchanged(); }
  void check_unchanged_lately() const override { outer_->check_unchanged_lately(); }
  void check_unmodified_since(timespec then) const override { outer_->check_unmodified_since(then); }

 protected:
  // number: distinguishes it from other files inside `outer`, and from `outer` if it is not 0.
  InnerFile(FilePtr outer, std::string path, uint64_t size, uint64_t number)
      : File(std::move(path), size, mixed(outer->fingerprint(), number)), outer_(std::move(outer)) {}
  const File& outer() const { return *outer_; }

 private:
  const FilePtr outer_;
};

// The files that were found to have files inside. Thread-safe.
class InsideFiles {
 public:
  // A place inside a file.
  struct Place {
    FileTreePtr tree;
    std::string key;
  };

  // Adds what is inside the file at `outer`, which may itself be inside another one.
  void add(const std::string& outer, FileTreePtr tree);
  bool has(const std::string& outer) const;
  // Returns the place of a location inside the innermost of these files; nullopt if it is in none of them.
  std::optional<Place> find(const std::string& location) const;
  // Returns the place of a folder, which may be the root inside one of these files; nullopt if `location` is
  // no such folder.
  std::optional<Place> find_folder(const std::string& location) const;
  // Returns the file on disk or on the server that has `location` inside; nullopt if none has.
  std::optional<std::string> host_of(const std::string& location) const;

 private:
  mutable Mutex mutex_;
  std::map<std::string, FileTreePtr> trees_ GUARDED_BY(mutex_);  // by the location of the file
};

// Returns the folder at `location`, which is inside one of files.inside(), as a KeyStore. Its files are
// opened through `files`, which must outlive it.
KeyStorePtr open_folder_inside(const std::string& location, const InsideFiles::Place& place, Sources& files);

}  // namespace plainfs
