// Services that give keys for a time: AWS's token service to a pod, and those that only this machine or
// container can reach. Each gives nullopt where the environment does not lead to it, and throws unreadable
// where it does and no keys come.
#pragma once

#include <optional>

#include "formats/core/remote/credentials.h"

namespace plainfs::remote {

// AssumeRoleWithWebIdentity, by AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN.
std::optional<TimedKeys> keys_of_web_identity(const Environment& environment, const std::string& region,
                                              HttpClient& client);
// By AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or AWS_CONTAINER_CREDENTIALS_FULL_URI.
std::optional<TimedKeys> keys_of_container(const Environment& environment, HttpClient& client);
// The instance's metadata service (IMDSv2), also nullopt where there is none, or it knows no role.
// AWS_EC2_METADATA_DISABLED=true: it is not asked.
std::optional<TimedKeys> keys_of_machine(const Environment& environment, HttpClient& client);

}  // namespace plainfs::remote
