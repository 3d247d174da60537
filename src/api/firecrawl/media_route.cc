// Pictures of pages, for whoever was told their names: clients open them in a browser, where no key goes
// along.
#include "api/firecrawl/routes.h"
#include "api/server/reply.h"
#include "model/media.h"

namespace quarry::api {

void show_media(Api&, store::Reader& reader, Call call) {
    const std::string_view file = call.values.at(0);
    const auto place = parse_media_name(file.substr(0, file.find('.')));
    const auto not_found = [&] {
        call.respond(reply_error(404, "NOT_FOUND", "there is no such picture, or no longer"));
    };
    if (!place) return not_found();
    const auto packed = reader.media(place->version);
    if (!packed) return call.respond(reply(packed.error()));
    auto media = find_media(*packed, place->token);
    if (!media) return not_found();
    call.respond({.content_type = std::move(media->type),
                  .body = std::move(media->bytes),
                  .headers = {{"Cache-Control", "private, max-age=3600, immutable"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Content-Security-Policy", "sandbox"}}});
}

}  // namespace quarry::api
