#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "pneuma/io/file.h"
#include "pneuma/io/signal.h"

namespace pneuma::io {
namespace {

template <class T>
T number(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

struct WavFormat {
  unsigned coding = 0;  ///< 1 PCM, 3 float
  std::size_t channels = 0, bits = 0;
  double rate = 0;

  std::size_t sampleSize() const { return bits / 8; }
  bool supported() const {
    return (coding == 1 && (bits == 8 || bits == 16 || bits == 24 || bits == 32)) ||
           (coding == 3 && (bits == 32 || bits == 64));
  }
  double sample(const char* at) const {
    if (coding == 3) {
      return bits == 32 ? static_cast<double>(number<float>({at, 4}, 0))
                        : number<double>({at, 8}, 0);
    }
    if (bits == 8) return (static_cast<unsigned char>(*at) - 128) / 128.0;  // unsigned by tradition
    std::uint32_t raw = 0;
    std::memcpy(reinterpret_cast<char*>(&raw) + 4 - sampleSize(), at, sampleSize());
    return static_cast<std::int32_t>(raw) / 2147483648.0;
  }
};

constexpr unsigned kExtensible = 0xFFFE;  // the real coding stands in the sub-format

}  // namespace

Result<Signals> parseWav(std::string_view content, const std::string& file) {
  if (content.size() < 12 || content.substr(0, 4) != "RIFF" || content.substr(8, 4) != "WAVE")
    return fileError(file, "is not a WAV file");

  // Chunks: the format comes before the samples; others are passed over.
  WavFormat format;
  std::string_view samples, rest = content.substr(12);
  bool found = false;
  while (rest.size() >= 8 && !found) {
    const std::string_view id = rest.substr(0, 4);
    const std::size_t size = number<std::uint32_t>(rest, 4);
    rest.remove_prefix(8);
    if (id == "fmt ") {
      if (size < 16 || size > rest.size()) return fileError(file, "has a broken format chunk");
      format.coding = number<std::uint16_t>(rest, 0);
      format.channels = number<std::uint16_t>(rest, 2);
      format.rate = number<std::uint32_t>(rest, 4);
      format.bits = number<std::uint16_t>(rest, 14);
      if (format.coding == kExtensible && size >= 26)
        format.coding = number<std::uint16_t>(rest, 24);
    } else if (id == "data") {
      if (size > rest.size())
        return fileError(file,
                         fmt::format("is truncated: {} of {} bytes of samples", rest.size(), size));
      samples = rest.substr(0, size);
      found = true;
    }
    rest.remove_prefix(std::min(rest.size(), size + size % 2));
  }
  if (format.channels == 0 || format.rate <= 0)
    return fileError(file, "has no usable format chunk");
  if (!format.supported())
    return fileError(file, fmt::format("has coding {} with {} bits", format.coding, format.bits),
                     "PCM of 8, 16, 24 or 32 bits, or floats of 32 or 64");
  const std::size_t frameSize = format.sampleSize() * format.channels;
  const std::size_t count = samples.size() / frameSize;
  if (count == 0) return fileError(file, "has no samples");

  Signals signals;
  signals.times.resize(count);
  for (std::size_t i = 0; i < count; ++i) signals.times[i] = static_cast<double>(i) / format.rate;
  for (std::size_t c = 0; c < format.channels; ++c) {
    SignalChannel& channel = signals.channels.emplace_back();
    channel.name = fmt::format("channel_{}", c + 1);
    if (format.channels <= 2) channel.name = c == 0 ? "left" : "right";
    channel.values.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      channel.values[i] = format.sample(samples.data() + i * frameSize + c * format.sampleSize());
      if (!std::isfinite(channel.values[i]))
        return fileError(file,
                         fmt::format("sample {} of channel '{}' is not finite", i, channel.name));
    }
  }
  return signals;
}

Result<Signals> readWav(const std::filesystem::path& path) {
  const Result<std::string> content = readFile(path);
  if (!content) return content.diagnostics();
  return parseWav(*content, path.string());
}

}  // namespace pneuma::io
