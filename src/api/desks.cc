#include "api/desks.h"

#include "base/thread_name.h"

namespace quarry::api {

Result<std::unique_ptr<Desks>> Desks::open(int count, const OpenReader& open_reader) {
    std::vector<std::unique_ptr<store::Reader>> readers;
    for (int i = 0; i < count; ++i) readers.push_back(TRY(open_reader()));
    return std::unique_ptr<Desks>(new Desks(std::move(readers)));
}

Desks::Desks(std::vector<std::unique_ptr<store::Reader>> readers) : readers_(std::move(readers)) {
    for (const auto& reader : readers_) threads_.emplace_back([this, &reader] { run(*reader); });
}

void Desks::close() {
    is_closed_ = true;
    errands_.close();
    threads_.clear();
}

bool Desks::post(Errand errand) {
    if (is_closed_) return false;
    if (waiting_.fetch_add(1) >= most_waiting) {
        waiting_.fetch_sub(1);
        return false;
    }
    errands_.push(std::move(errand));
    return true;
}

void Desks::run(store::Reader& reader) {
    name_this_thread("api desk");
    while (auto errand = errands_.pop()) {
        waiting_.fetch_sub(1);
        (*errand)(reader);
    }
}

}  // namespace quarry::api
