# runtime.gp - bench/results/runtime.svg: how long releases take, a histogram for each row.
#
# bench/plot.sh sets data, bench/results/runtime.tsv, and picture.

set terminal svg size 920,640 font "sans-serif,12" background "white"
set output picture
set datafile separator "\t"

array row[7] = ["dp_logistic", "exponential, {-1,0,1}", "exponential, {-1,0,1}, numbers ±4", "opdisc gauge, {-1,0,1}", \
                "opdisc published (unproven), ball 23", "rspm gauge, {-1,0,1}", "rspm published (unproven), {-1,0,1}"]
array name[7] = ["dp\\_logistic", "exponential, \\{-1,0,1\\}^{23}", "exponential, \\{-1,0,1\\}^{20} x \\{-4..4\\}^3", \
                 "opdisc, gauge, \\{-1,0,1\\}^{23}", "opdisc as published (unproven), integers of a ball", \
                 "rspm, gauge, \\{-1,0,1\\}^{23}", "rspm as published (unproven), \\{-1,0,1\\}^{23}"]
array colour[7] = ["#d55e00", "#0072b2", "#0072b2", "#009e73", "#888888", "#cc79a7", "#888888"]
lines(k) = sprintf("< awk -F'\\t' '$1 == \"%s\"' '%s'", row[k], data)

# Twenty bins to a power of ten; a bar stands over the middle of its bin.
bin(seconds) = floor(20 * log10(seconds)) / 20.0 + 0.025

set xrange [-2.7:0.3]
set yrange [0:*]
set boxwidth 0.05
set style fill solid 0.75 noborder
set border 3 lc rgb "#444444"
set tics textcolor rgb "#222222" nomirror out
set grid xtics lt 1 lc rgb "#dddddd" lw 0.7
set ytics 20 format "%g %%" font ",10"
unset key

set multiplot
do for [k = 1:7] {
  set lmargin at screen 0.385
  set rmargin at screen 0.975
  set tmargin at screen 0.930 - 0.122 * (k - 1)
  set bmargin at screen 0.930 - 0.122 * (k - 1) - 0.100
  if (k < 7) {
    set xtics ("" -2.523, "" -2, "" -1.523, "" -1, "" -0.523, "" 0)
  } else {
    set xtics ("3 ms" -2.523, "10 ms" -2, "30 ms" -1.523, "0.1 s" -1, "0.3 s" -0.523, "1 s" 0)
  }
  stats lines(k) using 3 nooutput name "S"
  unset label
  unset arrow
  set label name[k] at screen 0.335, screen 0.895 - 0.122 * (k - 1) right
  set label sprintf("median %.2g s, largest %.2g s", S_median, S_max) at screen 0.335, screen 0.868 - 0.122 * (k - 1) right font ",10" textcolor rgb "#555555"
  if (k == 1) {
    set label sprintf("Share of releases by processor seconds: %d of each mechanism on adult23, at seven epsilons from 0.1 to 10", S_records) \
      at screen 0.5, screen 0.965 center font ",13"
  }
  set arrow from log10(S_median), graph 0 to log10(S_median), graph 1 nohead lc rgb "#000000" lw 1.2 dt 2 front
  plot lines(k) using (bin($3)):(100.0 / S_records) smooth frequency with boxes lc rgb colour[k]
}
unset multiplot
