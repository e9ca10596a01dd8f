#pragma once

namespace pneuma::stage {

/// `asset.copyright` of every file that shows the body: the tables in data/body/measured, which
/// every body of the data folder is made from, are shared under this licence, and so is a body
/// made from them. A shape that a user brought keeps the user's own.
inline constexpr const char* kBodyLicence =
    "Made with Pneuma from measurements of BodyParts3D, (c) The Database Center for Life Science, "
    "CC BY-SA 2.1 JP: share alike with this line. Not a medical device.";

}  // namespace pneuma::stage
