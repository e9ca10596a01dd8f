#pragma once

#include <string_view>

namespace pneuma::io {

/// Dotted keys (`a.b.c = 1`, `[a.b.c]`) with more parts than this are refused.
inline constexpr int kDeepestKey = 16;

/// The first line of a TOML text that holds a dotted key of more than kDeepestKey parts; 0 when
/// there is none. To be asked before parsing: the parser limits nested values but not keys, and a
/// key of some hundred thousand parts makes tables so deep that freeing them overflows the stack.
int lineOfDeepKey(std::string_view text);

}  // namespace pneuma::io
