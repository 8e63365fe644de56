# accuracy.gp - docs/accuracy.svg: training accuracy against epsilon, a panel for each set.
#
# bench/plot.sh sets data, the lines of accuracy.tsv and the peers', and picture.

set terminal svg size 920,800 font "sans-serif,12" background "white" linewidth 1
set output picture
set datafile separator "\t"

panels = "adult23 g1 g2 full"
array title[4] = ["adult23: the papers' 23 columns, 15,682 rows", "G1: the same rows, 17 columns", \
                  "G2: the same rows, 14 columns", "Full Adult: 32,561 rows, 111 columns"]
array low[4] = [70, 74, 75, 79]
array high[4] = [79.5, 79.5, 82.6, 86]
# without privacy; 0: not known
array open[4] = [78.73, 0, 81.95, 0]

array row[10] = ["dp_classifier", "dp_halfspace", "dp_logistic", "opdisc gauge, sparse 4", "rspm gauge, {-1,0,1}", \
                 "logistic, sgd, full batches", "opdisc published (unproven), ball 23", \
                 "diffprivlib 0.6.6, defaults", "CMS11 objective perturbation, tuned (pure)", \
                 "DP-SGD (PLD), grid-searched, add/remove"]
array name[10] = ["dp\\_classifier", "dp\\_halfspace", "dp\\_logistic", "opdisc, gauge, 4-sparse", "rspm, gauge, \\{-1,0,1\\}", \
                  "dp\\_logistic, sgd", "opdisc as published (unproven)", "diffprivlib 0.6.6", "CMS11, tuned", \
                  "DP-SGD, tuned, add/remove"]
# Okabe and Ito's colours, which nobody confuses
array colour[10] = ["#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#888888", "#56b4e9", "#8c564b", "#7f7fbf"]
array dash[10] = [1, 1, 1, 1, 1, 1, 2, 3, 3, 3]
array point[10] = [7, 5, 9, 13, 11, 15, 6, 4, 8, 10]

# The lines of a row, a fiftieth to the side for each curve, so that error bars stand apart.
lines(set, k) = sprintf("< awk -F'\\t' '$1 == \"%s\" && $3 == \"%s\" && $5 != \"refused\"' '%s'", set, row[k], data)
beside(epsilon, k) = epsilon * (1 + 0.012 * (k - 5))

set logscale x
set xrange [0.085:12]
set xtics ("0.1" 0.1, "0.3" 0.3, "0.5" 0.5, "1" 1, "2" 2, "5" 5, "10" 10) nomirror out
set ytics 1 nomirror out
set grid ytics lt 1 lc rgb "#dddddd" lw 0.7
set border 3 lc rgb "#444444"
set tics textcolor rgb "#222222"
unset key

set multiplot
do for [p = 1:4] {
  set lmargin at screen 0.065 + 0.5 * ((p - 1) % 2)
  set rmargin at screen 0.490 + 0.5 * ((p - 1) % 2)
  set tmargin at screen p < 3 ? 0.960 : 0.540
  set bmargin at screen p < 3 ? 0.655 : 0.235
  set title title[p] font ",13" offset 0,-0.4
  set xlabel "epsilon" offset 0,0.6
  set ylabel p % 2 == 1 ? "training accuracy, %" : "" offset 1.2,0
  set yrange [low[p]:high[p]]
  unset arrow
  unset label
  if (open[p] > 0) {
    set arrow from 0.085,open[p] to 12,open[p] nohead lc rgb "#444444" dt 4 lw 1
    set label sprintf("logistic regression without privacy: %.2f", open[p]) at 0.09,open[p] offset 0,0.5 font ",10" textcolor rgb "#444444"
  }
  plot for [k = 10:1:-1] lines(word(panels, p), k) using (beside($4, k)):6:7 with yerrorbars pt 0 ps 0 lc rgb colour[k] lw 0.8, \
       for [k = 10:1:-1] lines(word(panels, p), k) using (beside($4, k)):6 with linespoints \
         lc rgb colour[k] lw 1.8 dt dash[k] pt point[k] ps 0.45
}

# the legend, in a panel without axes
set lmargin at screen 0.03
set rmargin at screen 0.97
set tmargin at screen 0.150
set bmargin at screen 0.010
unset title
unset xlabel
unset ylabel
unset arrow
unset label
unset border
unset tics
unset grid
set yrange [0:1]
set key center center vertical maxrows 4 Left reverse samplen 3 spacing 1.15 width 0
plot for [k = 1:10] NaN with linespoints lc rgb colour[k] lw 1.8 dt dash[k] pt point[k] ps 0.45 title name[k]
unset multiplot
