#!/bin/bash
# flesh_scaling.sh [BENCH] [OUT]: memory and time of a frame of flesh, 45,000 to 3 million tetrahedra, as a table and a picture.
# BENCH is the program bench_flesh (default build/bench/bin/bench_flesh), OUT the picture (default docs/img/flesh_scaling.png).
# EDGES are the lattices' [mm]. Rows stay in OUT.txt until all are there, so a run that was stopped goes on.
set -euo pipefail
cd "$(dirname "$0")/.."
bench=${1:-build/bench/bin/bench_flesh}
out=${2:-docs/img/flesh_scaling.png}
table=$out.txt
echo "# edge_mm tetrahedra free_nodes cpu_s newton matrices iterations peak_MB cg_to_1e-2"
for edge in ${EDGES:-29 18 11.5 8 5}; do
  grep -s "^$edge " "$table" && continue
  row=$("$bench" --edge "$edge")
  echo "$edge $row" | tee -a "$table"
done
gnuplot <<EOF
set terminal pngcairo size 1200,420 font "sans,11"
set output "$out.tmp.png"
set multiplot layout 1,3
set logscale xy
set grid
set key top left
set xrange [3e4:5e6]
set format x "10^{%T}"
set xlabel "tetrahedra"
set ylabel "processor time of an arm's frame [s]"
plot "$table" using 2:4 with linespoints pt 7 lw 2 title "measured", 0.6 dt 2 title "0.6 s"
set ylabel "peak memory of the process [MB]"
plot "$table" using 2:8 with linespoints pt 7 lw 2 title "with making the flesh", 450 dt 2 title "450 MB"
unset logscale y
set yrange [0:18]
set ylabel "iterations per Newton step"
plot "$table" using 2:9 with linespoints pt 7 lw 2 title "to 1e-2, a matrix for each", \
  "$table" using 2:(\$7/\$5) with linespoints pt 6 lw 2 title "as solved", 12 dt 2 title "12"
EOF
mv "$out.tmp.png" "$out"
rm "$table"
