#include "pneuma/io/xml.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "pneuma/io/file.h"

namespace pneuma::io {
namespace {

/// What stops the reading; turned into a diagnostic with the line.
struct XmlTrouble {
  std::string message;
};

bool isXmlBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool isNameCharacter(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || (u >= '0' && u <= '9') || u >= 0x80 ||
         c == '_' || c == '-' || c == '.' || c == ':';
}

std::string_view withoutBlanks(std::string_view s) {
  while (!s.empty() && isXmlBlank(s.front())) s.remove_prefix(1);
  while (!s.empty() && isXmlBlank(s.back())) s.remove_suffix(1);
  return s;
}

void appendUtf8(std::uint32_t c, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

/// A numbered character: "#65" or "#x41".
std::uint32_t numberedCharacter(std::string_view digits) {
  const bool hexadecimal = digits.starts_with('x');
  if (hexadecimal) digits.remove_prefix(1);
  std::uint32_t c = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), c, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size() || c == 0 || c > 0x10FFFF)
    throw XmlTrouble{"no such character"};
  return c;
}

void appendDecoded(std::string_view raw, std::string& out) {
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '&') {
      out += raw[i];
      continue;
    }
    const std::size_t end = raw.find(';', i);
    if (end == std::string_view::npos) throw XmlTrouble{"'&' without ';'"};
    const std::string_view entity = raw.substr(i + 1, end - i - 1);
    if (entity == "amp") {
      out += '&';
    } else if (entity == "lt") {
      out += '<';
    } else if (entity == "gt") {
      out += '>';
    } else if (entity == "quot") {
      out += '"';
    } else if (entity == "apos") {
      out += '\'';
    } else if (entity.starts_with('#')) {
      appendUtf8(numberedCharacter(entity.substr(1)), out);
    } else {
      throw XmlTrouble{"unknown entity " + quotedWord(entity)};
    }
    i = end;
  }
}

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // byte order mark
  }

  XmlElement read() {
    skipAround();
    if (!startsWith("<")) throw XmlTrouble{"no element"};
    XmlElement root = element(0);
    skipAround();
    if (at_ < text_.size()) throw XmlTrouble{"something after the last element"};
    return root;
  }

  int line() const {
    const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size()));
    return 1 + static_cast<int>(std::count(text_.begin(), end, '\n'));
  }

 private:
  bool startsWith(std::string_view s) const { return text_.substr(at_).starts_with(s); }

  /// What stands before the next `end`, which is passed over.
  std::string_view until(std::string_view end, const char* what) {
    const std::size_t stop = text_.find(end, at_);
    if (stop == std::string_view::npos) throw XmlTrouble{std::string(what) + " has no end"};
    const std::string_view inside = text_.substr(at_, stop - at_);
    at_ = stop + end.size();
    return inside;
  }

  void skipBlanks() {
    while (at_ < text_.size() && isXmlBlank(text_[at_])) ++at_;
  }

  /// A comment or an instruction, if there is one.
  bool skipAside() {
    if (startsWith("<!--")) {
      at_ += 4;
      until("-->", "a comment");
      return true;
    }
    if (startsWith("<?")) {
      until("?>", "an instruction");
      return true;
    }
    if (startsWith("<!DOCTYPE")) throw XmlTrouble{"document types are not read"};
    return false;
  }

  void skipAround() {
    do skipBlanks();
    while (skipAside());
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && isNameCharacter(text_[at_])) ++at_;
    if (at_ == begin) throw XmlTrouble{"a name is missing"};
    return std::string(text_.substr(begin, at_ - begin));
  }

  void attribute(XmlElement& e) {
    std::string key = name();
    skipBlanks();
    if (!startsWith("=")) throw XmlTrouble{"attribute '" + key + "' has no value"};
    ++at_;
    skipBlanks();
    if (!startsWith("\"") && !startsWith("'"))
      throw XmlTrouble{"the value of '" + key + "' is not in quotes"};
    const std::string quote(1, text_[at_++]);
    std::string value;
    appendDecoded(until(quote, "a value"), value);
    if (e.attribute(key) != nullptr) throw XmlTrouble{"attribute '" + key + "' twice"};
    e.attributes.emplace_back(std::move(key), std::move(value));
  }

  XmlElement element(int depth) {
    if (depth > kDeepestXml) throw XmlTrouble{"nested too deeply"};
    XmlElement e;
    e.line = nextLine();
    ++at_;
    e.name = name();
    for (skipBlanks(); !startsWith(">") && !startsWith("/>"); skipBlanks()) {
      if (at_ >= text_.size()) throw XmlTrouble{"element '" + e.name + "' has no end"};
      attribute(e);
    }
    const bool empty = startsWith("/>");
    at_ += empty ? 2 : 1;
    if (!empty) content(e, depth);
    return e;
  }

  void content(XmlElement& e, int depth) {
    std::string text;
    for (;;) {
      appendDecoded(until("<", ("element '" + e.name + "'").c_str()), text);
      --at_;
      if (startsWith("</")) break;
      if (startsWith("<![CDATA[")) {
        at_ += 9;
        text += until("]]>", "CDATA");
      } else if (!skipAside()) {
        e.children.push_back(element(depth + 1));
      }
    }
    at_ += 2;
    const std::string end = name();
    if (end != e.name) throw XmlTrouble{"'" + e.name + "' ends as '" + end + "'"};
    skipBlanks();
    if (!startsWith(">")) throw XmlTrouble{"the end of '" + e.name + "' is not closed"};
    ++at_;
    e.text = withoutBlanks(text);
  }

  /// The line of the present place, counted on from the last one asked for.
  int nextLine() {
    const auto from = text_.begin() + static_cast<std::ptrdiff_t>(counted_);
    const auto to = text_.begin() + static_cast<std::ptrdiff_t>(at_);
    lines_ += static_cast<int>(std::count(from, to, '\n'));
    counted_ = at_;
    return 1 + lines_;
  }

  std::string_view text_;
  std::size_t at_ = 0, counted_ = 0;
  int lines_ = 0;
};

}  // namespace

const XmlElement* XmlElement::child(std::string_view childName) const {
  const auto found = std::find_if(children.begin(), children.end(),
                                  [&](const XmlElement& c) { return c.name == childName; });
  return found == children.end() ? nullptr : &*found;
}

const XmlElement* XmlElement::at(std::string_view path) const {
  const XmlElement* e = this;
  while (e != nullptr && !path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    e = e->child(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return e;
}

const std::string* XmlElement::attribute(std::string_view attributeName) const {
  for (const auto& [key, value] : attributes)
    if (key == attributeName) return &value;
  return nullptr;
}

std::string XmlElement::attributeOr(std::string_view attributeName,
                                    std::string_view otherwise) const {
  const std::string* value = attribute(attributeName);
  return value == nullptr ? std::string(otherwise) : *value;
}

Result<XmlElement> parseXml(std::string_view text, const std::string& file) {
  XmlReader reader(text);
  try {
    return reader.read();
  } catch (const XmlTrouble& trouble) {
    return lineError(file, reader.line(), trouble.message, "XML");
  }
}

}  // namespace pneuma::io
