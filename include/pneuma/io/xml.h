#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pneuma/core/error.h"

namespace pneuma::io {

/// An element of an XML document, with the line it begins in.
struct XmlElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string text;  ///< of its own, without that of its children, blanks at both ends taken off
  std::vector<XmlElement> children;
  int line = 0;

  const XmlElement* child(std::string_view childName) const;  ///< the first of that name, or null
  /// The element at the end of a path of names ("BodySet/objects"), or null.
  const XmlElement* at(std::string_view path) const;
  const std::string* attribute(std::string_view attributeName) const;  ///< or null
  std::string attributeOr(std::string_view attributeName, std::string_view otherwise) const;
};

/// Deepest nesting that is read.
inline constexpr int kDeepestXml = 200;

/// Reads a document: elements, attributes, text, comments, CDATA, and the five entities of XML with
/// numbered characters. Document types are refused, as nothing of ours has one and their entities
/// can grow without bound. An error names the line.
Result<XmlElement> parseXml(std::string_view text, const std::string& file);

}  // namespace pneuma::io
