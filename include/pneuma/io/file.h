#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "pneuma/core/error.h"

namespace pneuma::io {

/// Files larger than this are refused before a byte is read: no input of ours is so large, and a
/// wrong path (a disk image, a device) must not fill the memory.
inline constexpr std::uint64_t kLargestInput = std::uint64_t{4} << 30;

/// The whole content of a file or a pipe. Errors: missing (with the nearest name in the same
/// folder), a folder, a device, a pipe without a writer, unreadable, empty, larger than `largest`
/// bytes.
Result<std::string> readFile(const std::filesystem::path& path,
                             std::uint64_t largest = kLargestInput);

/// An error about a file as a whole or one of its lines.
Diagnostic fileError(const std::string& file, std::string message, std::string expected = {});
Diagnostic lineError(const std::string& file, int line, std::string message,
                     std::string expected = {});

/// What an unknown word of an input looks like in a message: at most 40 characters, unprintable
/// bytes as '?'.
std::string quotedWord(std::string_view word);

}  // namespace pneuma::io
