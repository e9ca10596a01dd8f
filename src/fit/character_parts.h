#pragma once

#include <string>
#include <vector>

#include "pneuma/fit/character.h"

/// Steps of readCharacter.
namespace pneuma::fit::internal {

/// All that a file holds, without pieces and body.
Character loadCharacter(const std::filesystem::path& path);

/// Finds Character::joined: vertices of one object within `tolerance` of each other.
void joinVertices(double tolerance, Character& character);

/// Cuts a character into pieces and says what each is.
void findPieces(Character& character);

/// Index of the piece that is the body. Throws InputError.
std::size_t chooseBody(const Character& character, const std::string& wanted);

/// The closed loops that bound a surface, as vertices in the order of its edges.
std::vector<std::vector<std::int32_t>> boundaryLoops(const std::vector<Triangle>& triangles);
/// Area of a fan around the middle of a loop.
double loopArea(const std::vector<Vec3>& positions, const std::vector<std::int32_t>& loop);

/// Triangles of a surface put right: none twice, all facing one way, outwards; holes closed.
struct RepairCounts {
  std::size_t repeated = 0;     ///< triangles dropped
  std::size_t turned = 0;       ///< triangles turned
  std::size_t holes = 0;        ///< closed
  std::size_t branchEdges = 0;  ///< edges of more than two triangles
  std::size_t edges = 0;
};
RepairCounts repairSurface(TriangleMesh& mesh);

/// An error about a character's file.
[[noreturn]] void refuseCharacter(const Character& character, std::string message,
                                  std::string expected = {});

}  // namespace pneuma::fit::internal
