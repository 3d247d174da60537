// Where results are written: one file, or a folder in which every page has a file of its own.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/descriptors.h"
#include "base/result.h"
#include "url/url.h"

namespace quarry::cli {

// "https://docs.example.com/guide/install?tab=2" -> "docs.example.com/guide/install_5be1a3c9.md". Different
// URLs get different paths: a query becomes a hash, a folder's own page is index.md. Never leaves the folder
// it is put under.
std::string file_path_for(const url::Url& url, std::string_view extension);

// True if `-o NAME` means a folder: it ends with a slash or is one already.
bool names_folder(const std::string& name);

// What a command writes into a file that its user named. A regular file is written whole or not at all: a
// temporary file beside it, renamed when it is finished, with the permissions of the one it replaces. What is
// no regular file (a device, a FIFO) is written to as it is, and a symlink leads to what it names.
class OutputFile {
public:
    static Result<OutputFile> open(const std::string& path);
    OutputFile(OutputFile&& other) noexcept;
    ~OutputFile();  // what was not finished is removed

    Result<void> write(std::string_view text);
    // Only now is it there. Fails if some of it is lost.
    Result<void> finish();

private:
    explicit OutputFile(std::string path) : path_(std::move(path)) {}
    Result<void> open_beside(const std::string& target);
    std::unexpected<Error> failure(int code) const;

    std::string path_;  // as the user named it
    Descriptor file_;
    std::string temporary_{}, target_{};  // "" if it is written to as it is
};

// All of it at once. Makes the folders above it.
Result<void> write_file(const std::string& path, std::string_view content);

// Reads a file, or standard input for "-". Fails with `invalid_argument`, as a file that is not there was
// wrongly named, or `too_large` above `limit_bytes`.
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
