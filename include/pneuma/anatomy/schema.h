#pragma once

#include <string>
#include <vector>

/// The format of body files as data: what the reader accepts, for reference pages, editors and
/// tests. It comes from the same table as the reader.
namespace pneuma::anatomy {

/// One field of a table of a body file.
struct FieldSchema {
  std::string name;
  std::string type;     ///< "number", "text", "list of points", "table [[articulation.link]]", ...
  std::string unit;     ///< declared quantity ("length") or fixed unit ("N/m"), may be empty
  std::string range;    ///< allowed values in SI, may be empty
  std::string initial;  ///< default, may be empty
  bool required = false;
  std::string meaning;
};

/// One kind of table of a body file.
struct SectionSchema {
  std::string path;  ///< "[[muscle]]", "[[articulation.link]]", "joint", ...
  std::vector<FieldSchema> fields;
};

/// Every kind of table of a body file, top level first.
std::vector<SectionSchema> bodySchema();

/// The schema as a Markdown page (docs/body-reference.md).
std::string bodyReference();

}  // namespace pneuma::anatomy
