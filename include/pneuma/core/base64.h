#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pneuma {

/// Bytes as base64 text (RFC 4648, with padding), and back. Text with any other character, white
/// space included, gives nothing: a damaged file must be refused.
std::string encodeBase64(std::string_view bytes);
std::optional<std::string> decodeBase64(std::string_view text);

}  // namespace pneuma
