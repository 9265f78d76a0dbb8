// The certificates of the authorities that servers are trusted by.
#pragma once

#include <span>
#include <string>

namespace plainfs::remote {

// Returns the files in which systems keep them: Debian, Ubuntu and Arch first, then Fedora and RHEL, openSUSE
// and SLES, Alpine.
std::span<const char* const> certificate_places();

// Returns the file with the certificates to trust, or empty for the one that the library for connections
// knows: the file that CURL_CA_BUNDLE, AWS_CA_BUNDLE or SSL_CERT_FILE names, in this order, else the first of
// `places` that can be read. A program that was built on another system knows only where that one keeps them.
std::string certificate_file(std::span<const char* const> places = certificate_places());

// Returns the folder of certificates that SSL_CERT_DIR names, or empty.
std::string certificate_folder();

}  // namespace plainfs::remote
