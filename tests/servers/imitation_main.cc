// The imitated services as one program, for tests and scripts that run the quarry binary: prints where each
// of them listens as one line of JSON and serves until its standard input ends, so that it never outlives its
// caller.
//   imitation_services [--tei PORT] [--rerank PORT] [--openai PORT] [--chat PORT] [--qdrant PORT]
//                      [--latency-ms N] [--dimensions N] [--batch N] [--key KEY]
// A port of 0 is any free one. Faults: see imitation_conduct.h.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <boost/json.hpp>
#include <unistd.h>

#include "servers/imitation_chat.h"
#include "servers/imitation_openai.h"
#include "servers/imitation_qdrant.h"
#include "servers/imitation_tei.h"

namespace {

using namespace quarry::test;

using Flags = std::map<std::string, std::string, std::less<>>;

Flags read_flags(int argc, char** argv) {
    Flags flags;
    for (int i = 1; i + 1 < argc; i += 2) flags[std::string(argv[i]).substr(2)] = argv[i + 1];
    return flags;
}

std::size_t number(const Flags& flags, std::string_view name, std::size_t otherwise) {
    const auto found = flags.find(name);
    return found == flags.end() ? otherwise : std::strtoul(found->second.c_str(), nullptr, 10);
}

std::string text(const Flags& flags, std::string_view name) {
    const auto found = flags.find(name);
    return found == flags.end() ? std::string() : found->second;
}

class Services {
public:
    explicit Services(const Flags& flags) : flags_(flags) {
        if (flags.contains("tei")) start_tei(tei_, "tei", "embedding");
        if (flags.contains("rerank")) start_tei(rerank_, "rerank", "reranker");
        if (flags.contains("openai")) start_openai();
        if (flags.contains("chat")) start_chat();
        if (flags.contains("qdrant")) start_qdrant();
    }
    const boost::json::object& ports() const { return ports_; }

private:
    std::uint16_t port(std::string_view name) const {
        return static_cast<std::uint16_t>(number(flags_, name, 0));
    }
    template <typename Service>
    void started(std::string_view name, Service& service) {
        service.conduct.latency = std::chrono::milliseconds(number(flags_, "latency-ms", 0));
        ports_[name] = service.port();
    }
    void start_tei(std::unique_ptr<ImitationTei>& tei, std::string_view name, const char* kind) {
        tei = std::make_unique<ImitationTei>(
            ImitationTeiOptions{.port = port(name),
                                .key = text(flags_, "key"),
                                .kind = kind,
                                .max_client_batch_size = number(flags_, "batch", 32)});
        tei->set_model({.dimensions = number(flags_, "dimensions", 64)});
        started(name, *tei);
    }
    void start_openai() {
        openai_ = std::make_unique<ImitationOpenAi>(
            ImitationOpenAiOptions{.port = port("openai"),
                                   .key = text(flags_, "key"),
                                   .dimensions = number(flags_, "dimensions", 64)});
        started("openai", *openai_);
    }
    void start_chat() {
        chat_ = std::make_unique<ImitationChat>(
            ImitationChatOptions{.port = port("chat"), .key = text(flags_, "key")});
        started("chat", *chat_);
    }
    void start_qdrant() {
        qdrant_ = std::make_unique<ImitationQdrant>(
            ImitationQdrantOptions{.port = port("qdrant"), .key = text(flags_, "key")});
        started("qdrant", *qdrant_);
    }

    const Flags& flags_;
    boost::json::object ports_;
    std::unique_ptr<ImitationTei> tei_, rerank_;
    std::unique_ptr<ImitationOpenAi> openai_;
    std::unique_ptr<ImitationChat> chat_;
    std::unique_ptr<ImitationQdrant> qdrant_;
};

void wait_for_end_of_input() {
    char ignored[256];
    while (read(STDIN_FILENO, ignored, sizeof ignored) > 0) {
    }
}

}  // namespace

int main(int argc, char** argv) {
    const Flags flags = read_flags(argc, argv);
    const Services services(flags);
    std::printf("%s\n", boost::json::serialize(services.ports()).c_str());
    std::fflush(stdout);
    wait_for_end_of_input();
    return 0;
}
