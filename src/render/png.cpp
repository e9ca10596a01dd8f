#include <png.h>

#include <fstream>
#include <iterator>

#include "pneuma/core/error.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/render/image.h"

namespace pneuma::render {
namespace {

constexpr std::size_t kLargestPixels = 16384u * 16384u;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& message) {
  throw InputError(Diagnostic{.where = {.file = path.string()}, .message = message});
}

void write(const std::vector<std::uint8_t>& bytes, const std::filesystem::path& path) {
  io::AtomicFile file(path);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

png_image header(const Image& image) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;
  return png;
}

}  // namespace

std::vector<std::uint8_t> encodePng(const Image& image) {
  png_image png = header(image);
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::vector<std::uint8_t> bytes(size);
  if (!png_image_write_to_memory(&png, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr))
    throw InputError(std::string("PNG: ") + png.message);
  bytes.resize(size);
  return bytes;
}

void writePng(const Image& image, const std::filesystem::path& path) {
  write(encodePng(image), path);
}

void writeImage(const Image& image, const std::filesystem::path& path) {
  constexpr int kQuality = 92;  // no blocks are seen, even in a dark gradient
  if (path.extension() == ".jpg") return write(encodeJpeg(image, kQuality), path);
  writePng(image, path);
}

Image readPng(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(path, "cannot be read");
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()))
    fail(path, std::string("not a PNG: ") + png.message);
  if (std::size_t{png.width} * png.height > kLargestPixels) {
    png_image_free(&png);
    fail(path, "picture too large");
  }
  png.format = PNG_FORMAT_RGB;
  Image image(static_cast<int>(png.width), static_cast<int>(png.height));
  const png_color white{255, 255, 255};
  if (!png_image_finish_read(&png, &white, image.rgb.data(), 0, nullptr))
    fail(path, std::string("broken PNG: ") + png.message);
  return image;
}

}  // namespace pneuma::render
