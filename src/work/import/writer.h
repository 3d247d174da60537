// Gathers documents into batches for the method `write_pages`. What was gathered is kept until the owner of
// the store has it for certain: after an error the same batch is sent again, to the same owner or the next.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "base/result.h"
#include "model/job.h"
#include "store/store.h"
#include "work/import/documents.h"

namespace quarry::work {

struct ImportTarget {
    std::string collection = "default";
    std::string site{};
    int priority = priority_normal;
    bool index_pages = true;
    // Where words that are too long for a message wait for the owner, in files of their own. Both processes
    // have to see it. "": they go with the message however long they are, as to a server.
    std::string folder{};
};

class ImportWriter {
public:
    // Has the owner perform `write_pages` with these parameters.
    using Send = std::function<Result<boost::json::value>(boost::json::object params)>;

    explicit ImportWriter(ImportTarget target) : target_(std::move(target)) {}
    ~ImportWriter() { remove_files(); }
    ImportWriter(const ImportWriter&) = delete;
    ImportWriter& operator=(const ImportWriter&) = delete;

    // Gathers it. Fails if its words cannot be put down; then it is not gathered.
    Result<void> add(const ImportDocument& document);

    // True when there is enough for a batch, or for a message.
    bool is_full() const;
    bool is_empty() const { return pages_.empty(); }
    Result<void> send(const Send& send);

    const store::PagesWritten& written() const { return written_; }

private:
    Result<std::string> put_down(std::string_view words);
    void remove_files();

    const ImportTarget target_;
    boost::json::array pages_;
    std::size_t bytes_ = 0;
    std::vector<std::string> files_;
    int files_made_ = 0;
    store::PagesWritten written_;
};

// Removes what an import that was killed left in the folder.
void remove_abandoned_words(const std::string& folder);

// The words of a page of `write_pages`, wherever they are. For the owner.
Result<void> pick_up_words(const boost::json::value& page, ImportDocument& document);

}  // namespace quarry::work
