// The file of credentials by origin that the setting fetch.credentials names:
//
//   ["https://wiki.example"]
//   bearer_token_file = "/run/secrets/wiki"
//   owners = ["local", "team-a"]
//
// The secret is one of bearer_token, basic_auth ("USER:PASSWORD"), and either with _file. Requests of these
// owners use it: "*" stands for all, and without `owners` it is for local.
#pragma once

#include <string>

#include "base/result.h"
#include "fetch/redirect.h"

namespace quarry::app {

// Fails with `invalid_argument`, naming the file and what is wrong with it, also if others on this machine
// may read it.
Result<fetch::Credentials> read_credentials(const std::string& path);

// The value of an Authorization header. Fails with `invalid_argument` for what is not USER:PASSWORD.
Result<std::string> basic_authorization_of(const std::string& user_and_password);

}  // namespace quarry::app
