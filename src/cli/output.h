// Where results are written: one file, or a folder in which every page has a file of its own.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "url/url.h"

namespace quarry::cli {

// "https://docs.example.com/guide/install?tab=2" -> "docs.example.com/guide/install_5be1a3c9.md". Different
// URLs get different paths: a query becomes a hash, a folder's own page is index.md. Never leaves the folder
// it is put under.
std::string file_path_for(const url::Url& url, std::string_view extension);

// True if `-o NAME` means a folder: it ends with a slash or is one already.
bool names_folder(const std::string& name);

// Writes whole or not at all: a temporary file beside it, then renamed. Makes the folders above it.
Result<void> write_file(const std::string& path, std::string_view content);

// Reads a file, or standard input for "-". Fails with `not_found`, or `too_large` above `limit_bytes`.
Result<std::string> read_input(const std::string& path, std::uint64_t limit_bytes);

// Hands out a path for every page of a command. Two URLs that would share one (http and https of the same
// page) get a number.
class FolderOutput {
public:
    FolderOutput(std::string folder, std::string extension)
        : folder_(std::move(folder)), extension_(std::move(extension)) {}
    std::string path_for(const url::Url& url);

private:
    std::string folder_, extension_;
    std::set<std::string> taken_;
};

}  // namespace quarry::cli
