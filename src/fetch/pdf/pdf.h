// PDF to markdown. Poppler is a large parser of a hostile format, so it never runs in this process: the
// same program is started again as a child with limits on time and memory, and only its text comes back.
// PdfRequest and PdfExit are what the two sides say to each other: the parent sends one line of limits and
// then the PDF; the child answers with a JSON object, or with an exit code alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace quarry::fetch {

// What the two sides of read_pdf say to each other. The parent sends one line of limits and then the PDF; the
// child answers with a JSON object, or with an exit code alone.

struct PdfRequest {
    std::uint64_t cpu_seconds = 0;
    std::uint64_t memory_bytes = 0;
    int pages = 0;
    std::string_view pdf{};

    // The line before the PDF.
    std::string header() const;
    // Reads header and PDF; `input` must outlive the result.
    static std::optional<PdfRequest> parse(std::string_view input);
};

// Poppler itself ends the process with 1 when it cannot allocate.
enum class PdfExit : int {
    done = 0,
    out_of_memory = 1,
    failed = 2,
    damaged = 3,
    encrypted = 4,
    not_confined = 5,
};

// PDF to markdown. Poppler is a large parser of a hostile format, so it never runs in this process: the same
// program is started again as a child with limits on time and memory, and only its text comes back.

struct PdfLimits {
    std::chrono::seconds wall_time{30};  // from start to end, waiting included
    std::chrono::seconds cpu_time{20};   // of the child
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;
    std::uint64_t output_bytes = std::uint64_t{32} << 20;
    int pages = 2000;  // later pages are left out, and PdfText::pages_read says so
    // The program that answers to pdf_child_command. Tests name another.
    std::string program = "/proc/self/exe";
};

struct PdfText {
    std::string title{};  // from the document's properties, else its first large heading; "" if neither
    std::string author{};
    std::string created{};  // ISO 8601 in UTC; "" if unknown
    int page_count = 0;
    int pages_read = 0;  // less than page_count where a limit cut the document
    std::string markdown{};
};

// Reads a whole PDF. Blocks for at most `wall_time` and leaves no process behind. May be called from many
// threads. Errors are sentences that begin with a verb, to follow a name or an address:
//   unsupported  "is encrypted", "has no text (a scan?)"
//   corrupt      "is damaged"
//   timeout      "took longer than 30 s to read"
//   too_large    "needs more than 1024 MB to read", "has more than 32 MB of text"
//   unavailable  the child could not be started
Result<PdfText> read_pdf(std::string_view bytes, const PdfLimits& limits = {});

// The hidden command that the child is started with, and what main calls for it: reads a PDF from standard
// input, writes the result to standard output, returns the exit code. Call it before anything is set up.
inline constexpr std::string_view pdf_child_command = "pdf-text";
int run_pdf_child();

}  // namespace quarry::fetch
