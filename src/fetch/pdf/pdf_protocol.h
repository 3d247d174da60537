// What the two sides of read_pdf say to each other. The parent sends one line of limits and then the PDF; the
// child answers with a JSON object, or with an exit code alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::fetch {

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

}  // namespace quarry::fetch
