// The secrets that requests carry for a host: header fields from a file of the user, tokens of known services
// from the environment, and the passwords of ~/.netrc. None is sent to another host than its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/core/remote/credentials.h"
#include "formats/core/remote/url.h"

namespace plainfs::remote {

class HostFields {
 public:
  // own: the URL of the store; a line without a port means the port of that URL if it is of the same host,
  // and otherwise the port of https. header_file: has lines "HOST[:PORT] NAME: VALUE", empty lines, and
  // comments that begin with "#"; "" = none. Throws unreadable if the file cannot be read, damaged with the
  // number of a line that is not like that, and unsupported if the store's own host has fields but its URL is
  // http:// of another machine.
  HostFields(const Url& own, const std::string& header_file, const Environment& environment);

  // Returns the fields for requests to the host of `url`, "name: value"; none over http:// unless the host is
  // this machine.
  std::vector<std::string> of(const Url& url) const;
  // Returns whether ~/.netrc may be used for a request to `url`: its host is that of the store, or has an
  // entry by its name, and the connection is encrypted or stays on this machine.
  bool may_use_netrc(const Url& url) const;

 private:
  struct Field {
    std::string host, port;  // of the URLs to which it is sent
    std::string text;
  };

  void add_lines(std::string_view text, const std::string& file);
  void add_tokens(const Environment& environment);

  const Url own_;
  std::vector<Field> fields_;
  std::vector<std::string> netrc_hosts_;
};

// Returns the hosts that a ~/.netrc names, without its "default".
std::vector<std::string> hosts_of_netrc(std::string_view text);

}  // namespace plainfs::remote
