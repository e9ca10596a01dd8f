// jpeglib.h needs std::FILE before it.
#include <cstdio>

#include <jpeglib.h>

#include <cstdlib>
#include <memory>

#include "pneuma/core/error.h"
#include "pneuma/render/image.h"

namespace pneuma::render {
namespace {

/// The library's own answer to an error is to end the program.
[[noreturn]] void throwJpegError(j_common_ptr info) {
  char text[JMSG_LENGTH_MAX];
  info->err->format_message(info, text);
  throw InputError(std::string("JPEG: ") + text);
}

struct JpegEncoder {
  JpegEncoder() {
    info.err = jpeg_std_error(&errors);
    errors.error_exit = throwJpegError;
    jpeg_create_compress(&info);
  }
  ~JpegEncoder() {
    jpeg_destroy_compress(&info);
    std::free(data);
  }
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  unsigned char* data = nullptr;  ///< allocated by the library
  unsigned long size = 0;
};

}  // namespace

std::vector<std::uint8_t> encodeJpeg(const Image& image, int quality) {
  JpegEncoder encoder;
  jpeg_compress_struct& info = encoder.info;
  jpeg_mem_dest(&info, &encoder.data, &encoder.size);
  info.image_width = static_cast<JDIMENSION>(image.width);
  info.image_height = static_cast<JDIMENSION>(image.height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  const std::size_t stride = 3 * static_cast<std::size_t>(image.width);
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<JSAMPLE*>(image.rgb.data() + info.next_scanline * stride);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  return {encoder.data, encoder.data + encoder.size};
}

}  // namespace pneuma::render
