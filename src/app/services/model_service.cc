#include "app/services/models.h"

namespace quarry::app {

Result<std::unique_ptr<chat::Model>> open_model(const Settings& settings, net::HttpClient& client) {
    chat::ModelConfig config{.key = settings.text("model.key"),
                             .name = settings.text("model.name"),
                             .timeout = settings.duration("model.timeout"),
                             .page_bytes = static_cast<std::size_t>(settings.bytes("model.page_size"))};
    if (config.name.empty()) return nullptr;
    const std::string url = settings.text("model.url");
    if (url.empty() && config.key.empty())
        return fail(ErrorCode::invalid_argument,
                    "model.name is set, but not where the model is: set model.url, for instance "
                    "http://127.0.0.1:11434");
    if (config.page_bytes < 1'000)
        return fail(ErrorCode::invalid_argument, "model.page_size is at least 1KB");
    if (!url.empty()) config.url = url;
    return chat::Model::open(std::move(config), client);
}

Result<std::shared_ptr<chat::Model>> shared_model(const Settings& settings) {
    const std::shared_ptr<net::HttpClient> client = TRY(net::HttpClient::open(
        {.user_agent = settings.text("fetch.user_agent"), .ca_file = settings.text("fetch.ca_file")}));
    std::unique_ptr<chat::Model> model = TRY(open_model(settings, *client));
    if (!model) return nullptr;
    return std::shared_ptr<chat::Model>(model.release(), [client](chat::Model* owned) { delete owned; });
}

}  // namespace quarry::app
