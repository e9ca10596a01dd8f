#pragma once

#include <string>
#include <vector>

namespace pneuma::anatomy {

/// One change of the valid body and the finding it must give.
struct BrokenBody {
  std::string replace, with;  ///< first occurrence of a text in the file
  std::string line;           ///< a text on the line that must be named
  std::string field;          ///< the field that must be named
  std::string message;        ///< part of the message
  std::string file = "body.toml";
  bool warning = false;  ///< the body still loads
  int lineNumber = 0;    ///< when `line` is empty
};

const std::vector<BrokenBody>& brokenBodies();

}  // namespace pneuma::anatomy
