// Local files as documents: markdown with its front matter, text, HTML and PDF.
// Of a folder: which documents are below it, what the store already has of them, and their words.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <semaphore>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/queues.h"
#include "base/result.h"
#include "fetch/pdf/pdf.h"
#include "store/reader.h"
#include "work/import/documents.h"
#include "work/import/ignore.h"

namespace quarry::work {

// Local files as documents: markdown with its front matter, text, HTML and PDF.

// A file as the disk describes it, without its bytes.
struct FileSeen {
    std::string path{};  // absolute
    std::int64_t bytes = 0;
    std::int64_t modified_ns = 0;  // since 1970

    // Changes whenever the bytes may have, as a web server's ETag does.
    std::string etag() const;
};

// `not_found` if there is no file of that name; `unsupported` for what is no regular file: a folder, a pipe,
// a symbolic link.
Result<FileSeen> look_at_file(const std::string& path);

// The type that the name of a file claims; "" if it says nothing.
std::string_view content_type_of_file(std::string_view path);

// Whether files of this name are looked for in folders: markdown, text, HTML, PDF.
bool is_document_name(std::string_view path);

// Reads the file as it is now, which may be later than it was seen. Fails with `too_large`, and as
// read_document does; the sentence begins with the path. Takes as long as a PDF may take.
Result<ImportDocument> read_file_document(const std::string& path, const fetch::PdfLimits& limits);

// All documents below a folder: which there are, what the store already has of them, and their words.

struct FolderContent {
    std::vector<FileSeen> files{};
    std::vector<std::string> folders{};   // the one asked for, and those below it that are not ignored
    std::int64_t other_files = 0;         // neither ignored nor documents
    std::vector<std::string> problems{};  // sentences about folders that cannot be read
};

// Looks at a folder and all below it. Symbolic links are not followed: what they lead to inside the folder is
// met there anyway. `not_found` if the folder itself is not there. `before_folder` is called with each folder
// before it is looked into.
using BeforeFolder = std::function<void(const std::string& folder)>;
Result<FolderContent> look_into_folder(const std::string& folder, IgnoreRules& rules,
                                       const BeforeFolder& before_folder = {});

// The files below a folder that a collection has pages of: paths, and FileSeen::etag when they were read.
using StoredFiles = std::map<std::string, std::string>;
Result<StoredFiles> stored_files(store::Reader& reader, const std::string& collection,
                                 const std::string& folder);

// True if `path` is the folder or lies in it. Both absolute, without a slash at the end.
bool is_inside(std::string_view path, std::string_view folder);

// The documents of many files, read by several threads ahead of who asks, in any order.
class FilesSource : public ImportSource {
public:
    FilesSource(std::vector<std::string> paths, const fetch::PdfLimits& limits, int threads);
    ~FilesSource() override;

    std::optional<Result<ImportDocument>> next() override;
    // Which of the paths next() was about.
    std::size_t last() const { return last_; }

private:
    struct ReadFile {
        std::size_t path = 0;
        Result<ImportDocument> document;
    };
    void read_files(std::stop_token stop);

    const std::vector<std::string> paths_;
    const fetch::PdfLimits limits_;
    std::atomic<std::size_t> next_path_ = 0;
    std::size_t given_ = 0, last_ = 0;
    // Of documents that are being read, or are read and not yet asked for: it bounds the memory.
    std::counting_semaphore<> room_;
    WorkQueue<ReadFile> documents_;
    std::vector<std::jthread> threads_;
};

}  // namespace quarry::work
