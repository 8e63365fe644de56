# accuracy.gp - bench/results/accuracy.svg: training accuracy against epsilon, a panel for each set.
#
# bench/plot.sh sets data, the lines of accuracy.tsv, and picture.

set terminal svg size 920,1010 font "sans-serif,12" background "white" linewidth 1
set output picture
set datafile separator "\t"

panels = "adult23 cont15 cont20sep onehot30 mixed30 sparse40 magic german full"
array title[9] = ["adult23: 20 indicators, 3 numbers", "cont15: 15 numbers", "cont20sep: 20 numbers, separated", \
                  "onehot30: 30 indicators in groups", "mixed30: 15 indicators, 15 numbers", \
                  "sparse40: 40 indicators, ungrouped", "magic: 11 numbers", "german: 1,000 rows, 61 columns", \
                  "full: 111 indicators in groups"]
array low[9] = [74, 80, 90, 78, 75, 70, 77.5, 64, 80]
array high[9] = [79.5, 91, 100.5, 90, 89.5, 90, 80.5, 80, 86]

array row[8] = ["dp_classifier", "dp_classifier through SQL", "dpobj.train through SQL", "dp_halfspace", "dp_logistic", \
                "logistic, sgd, full batches", "CMS11, tuned on the data", "noisy gradient descent, tuned on the data"]
array name[8] = ["dp\\_classifier", "dp\\_classifier through SQL", "dpobj.train through SQL", "dp\\_halfspace", "dp\\_logistic", \
                 "dp\\_logistic, sgd", "CMS11, tuned on the data", "noisy gradient descent, tuned on the data"]
# Okabe and Ito's colours, which nobody confuses
array colour[8] = ["#000000", "#444444", "#009e73", "#0072b2", "#d55e00", "#e69f00", "#8c564b", "#7f7fbf"]
array dash[8] = [1, 2, 1, 1, 1, 1, 3, 3]
array point[8] = [7, 6, 13, 5, 9, 15, 8, 10]

# The lines of a row, a fiftieth to the side for each curve, so that error bars stand apart.
lines(set, k) = sprintf("< awk -F'\\t' '$1 == \"%s\" && $3 == \"%s\" && $5 ~ /^[0-9]/' '%s'", set, row[k], data)
open(set) = system(sprintf("awk -F'\\t' '$1 == \"%s\" && $2 == \"open\" { print $6 }' '%s'", set, data))
beside(epsilon, k) = epsilon * (1 + 0.012 * (k - 4))
bar(runs, sd) = runs > 1 ? 2 * sd / sqrt(runs) : 0

set logscale x
set xrange [0.085:12]
set xtics ("0.1" 0.1, "0.3" 0.3, "0.5" 0.5, "1" 1, "2" 2, "5" 5, "10" 10) nomirror out
set ytics nomirror out
set grid ytics lt 1 lc rgb "#dddddd" lw 0.7
set border 3 lc rgb "#444444"
set tics textcolor rgb "#222222"
unset key

set multiplot
do for [p = 1:9] {
  column = (p - 1) % 3
  line = (p - 1) / 3
  set lmargin at screen 0.060 + 0.325 * column
  set rmargin at screen 0.335 + 0.325 * column
  set tmargin at screen 0.970 - 0.295 * line
  set bmargin at screen 0.755 - 0.295 * line
  set title title[p] font ",13" offset 0,-0.4
  set xlabel line == 2 ? "epsilon" : "" offset 0,0.6
  set ylabel column == 0 ? "training accuracy, %" : "" offset 1.2,0
  set yrange [low[p]:high[p]]
  unset arrow
  unset label
  without = open(word(panels, p))
  if (strlen(without) > 0) {
    set arrow from 0.085,without + 0 to 12,without + 0 nohead lc rgb "#444444" dt 4 lw 1
    set label "without privacy: " . without at 0.09,without + 0 offset 0,0.5 font ",10" textcolor rgb "#444444"
  }
  plot for [k = 8:1:-1] lines(word(panels, p), k) using (beside($4, k)):6:(bar($5, $7)) with yerrorbars pt 0 ps 0 lc rgb colour[k] lw 0.8, \
       for [k = 8:1:-1] lines(word(panels, p), k) using (beside($4, k)):6 with linespoints \
         lc rgb colour[k] lw 1.8 dt dash[k] pt point[k] ps 0.45
}

# the legend, in a panel without axes
set lmargin at screen 0.03
set rmargin at screen 0.97
set tmargin at screen 0.110
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
plot for [k = 1:8] NaN with linespoints lc rgb colour[k] lw 1.8 dt dash[k] pt point[k] ps 0.45 title name[k]
unset multiplot
