#include "engine/errands.h"

#include "base/thread_name.h"

namespace quarry::work {

Errands::Errands(std::unique_ptr<store::Reader> reader, std::function<void()> done)
    : reader_(std::move(reader)), done_(std::move(done)), thread_([this] { serve(); }) {}

void Errands::serve() {
    name_this_thread("errands");
    while (auto errand = queue_.pop()) {
        (*errand)(*reader_);
        --open_;
        done_();
    }
}

Errands::~Errands() {
    finish();
}

void Errands::finish() {
    is_finishing_ = true;
    queue_.close();
    if (thread_.joinable()) thread_.join();
}

}  // namespace quarry::work
