#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Defines the libFuzzer entry point: the body sees the bytes as `content`. A reader passes when it
/// returns a value or an error; a crash, a hang, a sanitizer report or a foreign exception fails.
#define PNEUMA_FUZZ(content)                                                          \
  static void readBytes(std::string_view content);                                    \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    readBytes({reinterpret_cast<const char*>(data), size});                           \
    return 0;                                                                         \
  }                                                                                   \
  static void readBytes(std::string_view content)
