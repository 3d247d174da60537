#include "work/import/writer.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <boost/json.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "model/json/fields.h"

namespace quarry::work {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

// In JSON a byte takes up to six, and a message to the owner at most 16 MB.
constexpr std::size_t batch_bytes = 2u << 20;
constexpr std::size_t batch_pages = 1'000;

constexpr std::string_view file_beginning = "import-", file_ending = ".words";

std::size_t size_of(const ImportDocument& document) {
    std::size_t bytes = document.url.size() + document.id.size() + document.title.size() + 256;
    if (!document.metadata.empty()) bytes += json::serialize(document.metadata).size();
    return bytes + document.markdown.size();
}

// The process that made a file of words; 0 if it is no such file.
pid_t maker_of(std::string_view name) {
    if (!name.starts_with(file_beginning) || !name.ends_with(file_ending)) return 0;
    name.remove_prefix(file_beginning.size());
    pid_t process = 0;
    std::from_chars(name.data(), name.data() + name.size(), process);
    return process;
}

}  // namespace

Result<void> ImportWriter::add(const ImportDocument& document) {
    std::size_t bytes = size_of(document);
    if (bytes <= batch_bytes || target_.folder.empty()) {
        pages_.push_back(to_json(document));
    } else {
        ImportDocument rest = document;
        rest.markdown.clear();
        const std::string file = TRY(put_down(document.markdown));
        json::object page = to_json(rest);
        page["markdown_file"] = file;
        pages_.push_back(std::move(page));
        bytes -= document.markdown.size();
    }
    bytes_ += bytes;
    return {};
}

bool ImportWriter::is_full() const {
    // A batch with words in a file waits for no others: files on the disk are few that way.
    return bytes_ >= batch_bytes || pages_.size() >= batch_pages || !files_.empty();
}

Result<void> ImportWriter::send(const Send& send) {
    if (pages_.empty()) return {};
    const json::value answer = TRY(send({{"collection", target_.collection},
                                         {"site", target_.site},
                                         {"priority", target_.priority},
                                         {"index", target_.index_pages},
                                         {"pages", pages_}}));
    written_.added += TRY(answered_number(answer, "added"));
    written_.changed += TRY(answered_number(answer, "changed"));
    written_.unchanged += TRY(answered_number(answer, "unchanged"));
    pages_.clear();
    bytes_ = 0;
    remove_files();
    return {};
}

Result<std::string> ImportWriter::put_down(std::string_view words) {
    std::string path =
        fmt::format("{}/{}{}-{}{}", target_.folder, file_beginning, getpid(), ++files_made_, file_ending);
    files_.push_back(path);
    const auto failure = [&] {
        return fail(ErrorCode::unavailable, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    };
    quarry::Descriptor out(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!out.is_open()) return failure();
    while (!words.empty()) {
        const ssize_t written = ::write(out.get(), words.data(), words.size());
        if (written > 0) words.remove_prefix(static_cast<std::size_t>(written));
        if (written < 0 && errno != EINTR) return failure();
    }
    if (::close(out.release()) != 0 && errno != EINTR) return failure();
    return path;
}

void ImportWriter::remove_files() {
    std::error_code ignored;
    for (const std::string& file : files_) fs::remove(file, ignored);
    files_.clear();
}

void remove_abandoned_words(const std::string& folder) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const pid_t maker = maker_of(entry.path().filename().string());
        const bool is_gone = maker > 0 && ::kill(maker, 0) != 0 && errno == ESRCH;
        if (is_gone) fs::remove(entry.path(), error);
    }
}

Result<void> pick_up_words(const json::value& page, ImportDocument& document) {
    const json::object* object = page.if_object();
    const json::value* file = object ? object->if_contains("markdown_file") : nullptr;
    if (!file || !file->is_string()) return {};
    const std::string path(file->get_string());
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    const auto bytes = in ? static_cast<std::int64_t>(in.tellg()) : -1;
    // Extraction may make a document larger, but not by much.
    if (bytes < 0 || bytes > static_cast<std::int64_t>(2 * longest_document_bytes))
        return fail(ErrorCode::unavailable,
                    fmt::format("cannot read the words of {} from {}", document.url, path));
    document.markdown.resize(static_cast<std::size_t>(bytes));
    in.seekg(0);
    in.read(document.markdown.data(), bytes);
    if (!in) return fail(ErrorCode::unavailable, fmt::format("cannot read {}", path));
    return {};
}

}  // namespace quarry::work
