#pragma once

#include <array>

/// Zajac's curves [Zajac89] as numbers: the points at which Delp tabulated them for musculoskeletal
/// software [Delp90]. Forces are divided by the maximum isometric force. To compare with, not to
/// simulate with (ZajacCurves).
namespace pneuma::muscle {

/// A point of a tabulated curve; x as each table says, force over the isometric maximum [-].
struct TablePoint {
  double x = 0;
  double force = 0;
};

/// Fibre length over optimal length; the table's tails below 0.5 and above 1.5 are left out.
inline constexpr std::array kZajacActiveTable{
    TablePoint{0.52725, 0.226667}, TablePoint{0.62875, 0.636667}, TablePoint{0.71875, 0.856667},
    TablePoint{0.86125, 0.95},     TablePoint{1.045, 0.993333},   TablePoint{1.2175, 0.77},
    TablePoint{1.43875, 0.246667}};

/// Fibre velocity over maximum shortening velocity, shortening.
inline constexpr std::array kZajacShorteningTable{
    TablePoint{-1, 0},          TablePoint{-0.9, 0.021739},  TablePoint{-0.8, 0.047619},
    TablePoint{-0.7, 0.078947}, TablePoint{-0.6, 0.117647},  TablePoint{-0.5, 0.166667},
    TablePoint{-0.4, 0.230769}, TablePoint{-0.3, 0.318182},  TablePoint{-0.2, 0.444444},
    TablePoint{-0.1, 0.642857}, TablePoint{-0.05, 0.791667}, TablePoint{0, 1}};

/// The same, lengthening.
inline constexpr std::array kZajacLengtheningTable{
    TablePoint{0.05, 1.482014}, TablePoint{0.1, 1.601571}, TablePoint{0.15, 1.655791},
    TablePoint{0.2, 1.686739},  TablePoint{0.3, 1.720753}, TablePoint{0.4, 1.739055},
    TablePoint{0.5, 1.750490},  TablePoint{0.7, 1.763999}, TablePoint{1, 1.774455}};

/// Fibre length over optimal length; the last point of the table is (1.6, 2).
inline constexpr std::array kZajacPassiveTable{
    TablePoint{0.9, 0},    TablePoint{1, 0},      TablePoint{1.1, 0.035}, TablePoint{1.2, 0.12},
    TablePoint{1.3, 0.26}, TablePoint{1.4, 0.55}, TablePoint{1.5, 1.17}};

/// Tendon strain; from the last point on the table is straight to (9.2, 345).
inline constexpr std::array kZajacTendonTable{TablePoint{0, 0},
                                              TablePoint{0.00131, 0.0108},
                                              TablePoint{0.00281, 0.0257},
                                              TablePoint{0.00431, 0.0435},
                                              TablePoint{0.00581, 0.0652},
                                              TablePoint{0.00731, 0.0915},
                                              TablePoint{0.00881, 0.123},
                                              TablePoint{0.0103, 0.161},
                                              TablePoint{0.0118, 0.208},
                                              TablePoint{0.0123, 0.227}};

}  // namespace pneuma::muscle
