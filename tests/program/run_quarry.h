// Runs the built program as a user would, and gives back all that it did.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "servers/temporary_folder.h"

namespace quarry::test {

struct Ran {
    int exit_code = -1;  // 128 + signal when it was killed
    std::string out{};   // standard output
    std::string err{};   // standard error
    long peak_kilobytes = 0;
    double seconds = 0;
};

struct RunOptions {
    std::string input{};                     // standard input
    std::vector<std::string> environment{};  // "NAME=value", added to a minimal environment
    std::string folder{};                    // where to run; "" means here
    // Files that get what it writes instead of `Ran`; "" means none does. "-" closes the stream beforehand.
    std::string output_to{}, errors_to{};
    bool errors_as_output = false;      // as 2>&1 does
    int close_output_after_bytes = -1;  // closes the reading end after that many bytes, as `| head` does
    std::string error_file{};           // gets the standard error of a StartedQuarry; "" means nobody does
};

// Starts it and goes on. What it writes is not read.
class StartedQuarry {
public:
    explicit StartedQuarry(const std::vector<std::string>& arguments, const RunOptions& options = {});
    ~StartedQuarry();  // kills it if it still runs
    StartedQuarry(const StartedQuarry&) = delete;
    StartedQuarry& operator=(const StartedQuarry&) = delete;

    void send(int signal) const;
    int wait();  // the exit code, as in Ran
    pid_t process() const { return process_; }

private:
    pid_t process_ = -1;
};

// Waits for it to end; a program that hangs is killed after a minute, which fails the test that waits for it.
Ran run_quarry(const std::vector<std::string>& arguments, const RunOptions& options = {});
// The same on a terminal of 80 columns: `out` has all that is shown there. 127: there is no script(1).
Ran run_on_terminal(const std::vector<std::string>& arguments, RunOptions options = {});
// The same with another program than quarry.
Ran run_program(const std::string& program, const std::vector<std::string>& arguments,
                const RunOptions& options = {});

inline bool contains(std::string_view text, std::string_view part) {
    return text.contains(part);
}

}  // namespace quarry::test
