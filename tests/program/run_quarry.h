// Runs the built program as a user would, and gives back all that it did.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace quarry::tests {

struct Ran {
    int exit_code = -1;  // 128 + signal when it was killed
    std::string out{};   // standard output
    std::string err{};   // standard error
    long peak_kilobytes = 0;
    double seconds = 0;
};

struct RunOptions {
    std::string input{};                      // standard input
    std::vector<std::string> environment{};   // "NAME=value", added to a minimal environment
    std::string folder{};                     // where to run; "" means here
    int close_output_after_bytes = -1;        // closes the reading end after that many bytes, as `| head` does
};

// Waits for it to end; a program that hangs is killed after a minute, which fails the test that waits for it.
Ran run_quarry(const std::vector<std::string>& arguments, const RunOptions& options = {});

// A folder of its own for a test, removed at the end.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    // Writes a file below the folder and returns its path.
    std::string write(const std::string& name, const std::string& content) const;

private:
    std::string path_;
};

std::string read_file(const std::string& path);

}  // namespace quarry::tests
