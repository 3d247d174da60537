// `quarry serve`: the HTTP API, and the work it causes.
#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "app/api_service.h"
#include "app/owner/background.h"
#include "app/services/web_access.h"
#include "base/threads.h"
#include "cli/command.h"
#include "cli/commands/worker.h"
#include "cli/data_access.h"
#include "cli/exit.h"

namespace quarry::cli {
namespace {

struct ServeArguments {
    std::string listen{}, tls_certificate{}, tls_key{};
    bool insecure = false, quiet = false;
    std::optional<std::int64_t> workers{};
};

constexpr std::chrono::seconds patience{30};

Result<std::vector<ApiKey>> keys_of(const app::DataSource& place) {
    const auto reader = app::open_reader(place);
    if (!reader && reader.error().code == ErrorCode::not_found) return std::vector<ApiKey>();
    if (!reader) return std::unexpected(reader.error());
    return (*reader)->keys();
}

Result<bool> has_key(const app::DataSource& place) {
    return std::ranges::any_of(TRY(keys_of(place)), [](const ApiKey& key) { return !key.revoked_at; });
}

Result<app::ListenAddress> listen_address(const app::DataSource& place, const ServeArguments& arguments) {
    const std::string text =
        arguments.listen.empty() ? place.settings.text("serve.listen") : arguments.listen;
    auto listen = TRY(app::parse_listen_address(text));
    listen.is_for_others = arguments.insecure;
    const auto either = [&](const std::string& flag, std::string_view key) {
        return flag.empty() ? place.settings.text(key) : flag;
    };
    listen.tls_certificate = either(arguments.tls_certificate, "serve.tls_cert");
    listen.tls_key = either(arguments.tls_key, "serve.tls_key");
    if (listen.tls_certificate.empty() != listen.tls_key.empty())
        return fail(ErrorCode::invalid_argument,
                    "TLS needs both a certificate (--tls-cert) and its key (--tls-key)");
    if (!listen.is_loopback() && !arguments.insecure && !TRY(has_key(place)))
        return fail(
            ErrorCode::refused,
            fmt::format("{} can be reached by others, and there is no key to ask them for: make one "
                        "with quarry keys create. Or listen on 127.0.0.1, or say --insecure-no-auth if "
                        "something else keeps strangers away",
                        listen.address));
    return listen;
}

// Warns of risks that an operator may not have thought of.
Result<void> warn_of_strangers(const app::DataSource& place, const app::ListenAddress& listen) {
    if (!listen.is_loopback() && listen.tls_certificate.empty())
        say(fmt::format(
            "What is sent to and from {} is not encrypted: whoever is in between can read it, "
            "keys too. Use --tls-cert and --tls-key, or put a proxy that speaks TLS in front of it",
            listen.address));
    if (!listen.is_loopback() || listen.is_for_others) return {};
    const std::string need = place.settings.text("serve.require_key");
    const bool has_keys = !TRY(keys_of(place)).empty();
    const bool asks = need == "yes" || need == "true" || (need == "auto" && has_keys);
    if (asks) return {};
    say(fmt::format(
        "No key is asked for: whoever reaches {}, also through a proxy or a tunnel on this machine, may do "
        "everything here. {}",
        listen.address,
        has_keys ? "serve.require_key = \"auto\" asks for one" : "quarry keys create makes one"));
    return {};
}

app::OwnerProcess::Log log_of(const ServeArguments& arguments) {
    if (arguments.quiet) return {};
    return [](std::string_view line) { say_line(line); };
}

void say_ready(const app::DataSource& place, const app::ListenAddress& listen,
               const app::ApiService& service) {
    say(fmt::format("Serving {} on {}://{}:{}. Ctrl-C finishes what is under way and stops",
                    app::shown(place), listen.tls_certificate.empty() ? "http" : "https", listen.address,
                    service.port()));
    app::tell_service_manager("READY=1");
}

// Returns when a signal or `ended` asks to stop.
void wait_for_end(std::stop_token ended) {
    std::stop_source asked;
    const std::stop_callback on_interrupt(stop_on_interrupt(), [&] { asked.request_stop(); });
    const std::stop_callback on_end(ended, [&] { asked.request_stop(); });
    pause_for(std::chrono::hours(24 * 365), asked.get_token());
    app::tell_service_manager("STOPPING=1");
}

// Only serves: `quarry worker` or the background worker of the same folder does the work.
Result<void> serve_apart(const app::DataSource& place, const ServeArguments& arguments) {
    const auto listen = TRY(listen_address(place, arguments));
    TRY(warn_of_strangers(place, listen));
    const auto service = TRY(app::ApiService::start_apart(place, listen, log_of(arguments)));
    say_ready(place, listen, *service);
    wait_for_end({});
    service->leave(patience);
    return {};
}

Result<std::unique_ptr<app::OwnerProcess>> open_owner(const app::DataSource& place) {
    auto lock = TRY(take_over(place));
    return app::OwnerProcess::open(place, std::move(lock), app::OwnerRole::foreground,
                                   [](std::string_view line) { say_line(line); });
}

// Serves what is stored while nothing can be written; work begins when there is room. False if it was asked
// to stop before.
Result<bool> serve_until_writable(const app::DataSource& place, const ServeArguments& arguments,
                                  const app::ListenAddress& listen, const Error& trouble) {
    constexpr std::chrono::seconds look_every{2};
    const auto service = TRY(app::ApiService::start_apart(place, listen, log_of(arguments), trouble));
    say(
        fmt::format("{}. Nothing can be written in {}: what is stored is served, and work begins when there "
                    "is room",
                    trouble.message, place.folder.path));
    say_ready(place, listen, *service);
    const std::stop_token stop = stop_on_interrupt();
    while (!stop.stop_requested() && !place.folder.check_writable()) pause_for(look_every, stop);
    service->leave(patience);
    return !stop.stop_requested();
}

Result<void> serve(const app::DataSource& place, const ServeArguments& arguments) {
    const auto listen = TRY(listen_address(place, arguments));
    TRY(warn_of_strangers(place, listen));
    auto opened = open_owner(place);
    const auto is_stuck = [&] {
        return !opened && opened.error().code == ErrorCode::unavailable && !place.store.is_shared() &&
               !place.folder.check_writable();
    };
    while (is_stuck()) {
        if (!TRY(serve_until_writable(place, arguments, listen, opened.error()))) return {};
        opened = open_owner(place);
    }
    const auto owner = TRY(std::move(opened));
    auto service = TRY(app::ApiService::start(*owner, place, listen, log_of(arguments)));
    say_ready(place, listen, *service);
    if (arguments.workers == 0) {
        wait_for_end({});
        service->leave(patience);
        return {};
    }
    // The API leaves before the work stops, since clients still wait for results of the work.
    std::stop_source done;
    const std::jthread leaving([&](std::stop_token ended) {
        wait_for_end(ended);
        service->leave(patience);
        done.request_stop();
    });
    return owner->work_until({}, done.get_token());
}

int run_serve(const CommandContext& session, const ServeArguments& arguments) {
    auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    if (const std::string note = app::note_on_ignored_credentials(session.settings); !note.empty())
        say("warning: " + note);
    // A shared store may have workers on any host. A data folder has one worker, which owns the store.
    const bool is_apart = arguments.workers == 0 && !place->store.is_shared();
    if (arguments.workers != 0) place->threads = arguments.workers;
    const auto served = is_apart ? serve_apart(*place, arguments) : serve(*place, arguments);
    if (!served) return give_up(session, served.error());
    return exit_success;
}

}  // namespace

Command add_serve(CommandBuilder& builder) {
    Parser& parser =
        builder.add("serve", "Serve the Firecrawl v2 API, and work on what it is asked for",
                    "quarry serve                                # on 127.0.0.1:3002\n"
                    "quarry serve --listen 127.0.0.1:8080\n"
                    "quarry serve --workers 0 & quarry worker    # the work apart from the server\n"
                    "FIRECRAWL_API_URL=http://127.0.0.1:3002 npx firecrawl-cli scrape example.com");
    const auto arguments = std::make_shared<ServeArguments>();
    parser.add_option("--listen", arguments->listen, "Address and port (127.0.0.1:3002)");
    parser.add_option("--tls-cert", arguments->tls_certificate,
                      "Certificate (PEM) to speak TLS with; read again when it changes");
    parser.add_option("--tls-key", arguments->tls_key, "The file of its key (PEM)");
    parser
        .add_option("--workers", arguments->workers,
                    "Threads that read pages; 0: none, quarry worker does the work apart")
        .between(0, 256);
    parser.add_flag("--insecure-no-auth", arguments->insecure,
                    "Listen also where others can reach it, without asking for a key");
    builder.setting(parser, {"--allow-network", "fetch.allowed_networks",
                             "Networks whose addresses may be fetched, for instance 10.1.0.0/16"});
    builder.setting_switch(parser,
                           {"--allow-private", "fetch.allow_private",
                            "Fetch private, loopback and link-local addresses too, for every client"});
    parser.add_flag("--quiet", arguments->quiet, "Write no line for each request");
    return {&parser, [arguments](const CommandContext& session) { return run_serve(session, *arguments); }};
}

}  // namespace quarry::cli
