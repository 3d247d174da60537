// The child's side of read_pdf: everything that touches the bytes of a PDF.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>

#include <boost/json.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poppler-document.h>
#include <poppler-global.h>
#include <poppler-page.h>
#include <unistd.h>

#include "fetch/pdf/lines.h"
#include "fetch/pdf/markdown.h"
#include "fetch/pdf/pdf.h"
#include "fetch/pdf/sandbox.h"

namespace quarry::fetch {
namespace {

[[noreturn]] void leave(PdfExit code) {
    _exit(static_cast<int>(code));
}

bool read_all(std::string& bytes) {
    char buffer[64 * 1024];
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, buffer, sizeof buffer);
        if (got == 0) return true;
        if (got > 0) {
            bytes.append(buffer, static_cast<std::size_t>(got));
        } else if (errno != EINTR) {
            return false;
        }
    }
}

bool write_all(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
        if (written > 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

std::string to_string(const poppler::ustring& text) {
    const auto bytes = text.to_utf8();
    return {bytes.begin(), bytes.end()};
}

bool name_has(std::string_view font, std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) {
        if (font.contains(part)) return true;
    }
    return false;
}

PdfWord to_word(const poppler::text_box& box) {
    const auto place = box.bbox();
    const std::string font = box.has_font_info() ? box.get_font_name(0) : std::string();
    return {
        .text = to_string(box.text()),
        .left = place.left(),
        .top = place.top(),
        .right = place.right(),
        .bottom = place.bottom(),
        .font_size = box.has_font_info() ? box.get_font_size() : place.height(),
        .bold = name_has(font, {"Bold", "bold", "Black", "Heavy", "CMBX"}),
        .monospace = name_has(font, {"Courier", "Mono", "mono", "Consolas", "Menlo", "Typewriter", "CMTT"}),
        .space_after = box.has_space_after()};
}

// Text that is turned on the page is a stamp in the margin, unless the page is mostly such text.
PdfPage read_page(const poppler::page& page) {
    const auto boxes = page.text_list(poppler::page::text_list_include_font);
    std::size_t turned = 0;
    for (const auto& box : boxes) turned += box.rotation() != 0;
    const bool keep_turned = 2 * turned > boxes.size();
    std::vector<PdfWord> words;
    for (const auto& box : boxes) {
        if (keep_turned || box.rotation() == 0) words.push_back(to_word(box));
    }
    return join_words(words);
}

std::string created_at(const poppler::document& document) {
    const time_t time = document.info_date_t("CreationDate");
    if (time == static_cast<time_t>(-1) || time == 0) return {};
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

// Programs that make PDFs fill in the title by themselves; what they write there says nothing.
std::string clean_title(std::string title, const std::string& first_heading) {
    for (const std::string_view prefix :
         {"Microsoft Word - ", "Microsoft PowerPoint - ", "PowerPoint Presentation"}) {
        if (title.starts_with(prefix)) title.erase(0, prefix.size());
    }
    const bool says_nothing = title.empty() || title == "untitled" || title == "Untitled";
    return says_nothing ? first_heading : title;
}

boost::json::object read_document(const poppler::document& document, const PdfRequest& request) {
    const int page_count = document.pages();
    std::vector<PdfPage> pages;
    for (int i = 0; i < page_count && i < request.pages; ++i) {
        const std::unique_ptr<poppler::page> page(document.create_page(i));
        pages.push_back(page ? read_page(*page) : PdfPage());
    }
    const std::size_t pages_read = pages.size();
    drop_running_lines(pages);
    PdfMarkdown markdown = write_pdf_markdown(pages);
    return {{"title", clean_title(to_string(document.info_key("Title")), markdown.first_heading)},
            {"author", to_string(document.info_key("Author"))},
            {"created", created_at(document)},
            {"page_count", page_count},
            {"pages_read", pages_read},
            {"markdown", std::move(markdown.text)}};
}

PdfExit run() {
    std::string input;
    if (!read_all(input)) return PdfExit::failed;
    const auto request = PdfRequest::parse(input);
    if (!request) return PdfExit::failed;
    if (!confine_pdf_reader({.cpu_seconds = request->cpu_seconds, .memory_bytes = request->memory_bytes}))
        return PdfExit::not_confined;
    poppler::set_debug_error_function([](const std::string&, void*) {}, nullptr);
    const std::unique_ptr<poppler::document> document(
        poppler::document::load_from_raw_data(request->pdf.data(), static_cast<int>(request->pdf.size())));
    if (!document) return PdfExit::damaged;
    if (document->is_locked()) return PdfExit::encrypted;
    if (document->pages() <= 0) return PdfExit::damaged;
    const std::string result = boost::json::serialize(read_document(*document, *request));
    return write_all(result) ? PdfExit::done : PdfExit::failed;
}

}  // namespace

int run_pdf_child() {
    // Poppler's and our own failed allocations, and whatever else is thrown, end the process with a code that
    // says so: there is nothing to clean up and no one else to tell.
    std::set_new_handler([] { leave(PdfExit::out_of_memory); });
    std::set_terminate([] { leave(PdfExit::damaged); });
    leave(run());
}

}  // namespace quarry::fetch
