#pragma once

#include "pneuma/body/frame.h"
#include "pneuma/io/gltf_writer.h"
#include "pneuma/render/material.h"

/// The one palette: what colour and shine each tissue has, in pictures, films and files alike.
namespace pneuma::stage {

/// The look of a tissue in pictures.
render::Material tissueMaterial(body::Tissue tissue);
/// The same in a glTF file, under the tissue's name.
io::GltfMaterial gltfMaterial(body::Tissue tissue, double opacity = 1);

/// Iron that a body holds, in pictures and in a glTF file.
render::Material heldMaterial();
io::GltfMaterial heldGltfMaterial();

/// A muscle drawn as a line: pale at rest (0) to red at full activation (1).
render::Color activationColor(double activation);
/// A muscle drawn as a body: darker and redder the more it works (0 .. 1).
render::Material workingMuscle(double activation);
/// Relative force (0 .. 1) of an element among others: light to dark red; a slack one stays seen.
render::Color forceColor(double part);

/// Linear RGBA of a colour, as vertices of a glTF file carry it.
Vec4 linearRgba(const render::Color& color);

}  // namespace pneuma::stage
