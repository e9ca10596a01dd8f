#include "render/viewer_script.h"

// The assembler takes the file as it is: 600 kB that the compiler need not read.
asm(".section .rodata\n"
    ".global pneuma_viewer_script_begin\n"
    ".global pneuma_viewer_script_end\n"
    "pneuma_viewer_script_begin:\n"
    ".incbin \"" PNEUMA_VIEWER_SCRIPT
    "\"\n"
    "pneuma_viewer_script_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const char pneuma_viewer_script_begin[];
extern const char pneuma_viewer_script_end[];
}

namespace pneuma::render::internal {

std::string_view viewerScript() {
  return {pneuma_viewer_script_begin, pneuma_viewer_script_end};
}

}  // namespace pneuma::render::internal
