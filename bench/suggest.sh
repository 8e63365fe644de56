#!/usr/bin/env bash
# suggest.sh - how accurate default models are with declarations of dpobj.suggest, beside ones made by hand.
#
#   bench/suggest.sh [CALLS [SET]]      sets: adult, balanced, magic; DPOBJ_DATA names the folder of the data
#
# epsilon is 1: a tenth of it for the declaration and the rest for the model, or all of it for the model
# with the declaration by hand, which is that of the same rows in docs/accuracy.md. Models are rated on
# rows that they were not trained on: Adult's second file, or every fifth row. Prints means of CALLS
# calls, with their standard errors, in percent.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../scripts/packages.sh"
. "$here/../scripts/workplace.sh"
data=${DPOBJ_DATA:?names the folder of the data} calls=${1:-10} only=${2:-}

need_packages build
workplace_make
workplace_build
cluster_start "fsync = off" "jit = off" "dpobj.release_tick = 0"
for part in data test; do sed '1d; /,/!d; s/, /,/g; s/[.]$//' "$data/adult.$part.csv" >"$W/adult.$part.csv"; done
sed 1d "$data/adult_balanced.csv" >"$W/balanced.csv"
zcat "$data/panel/magic.dat.gz" | sed '1d; s/ /,/g' >"$W/magic.csv"
chmod a+r "$W"/*.csv

workclass='["Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov", "Without-pay", "Never-worked", "?"]'
education='["Bachelors", "Some-college", "11th", "HS-grad", "Prof-school", "Assoc-acdm", "Assoc-voc", "9th", "7th-8th", "12th", "Masters",
  "1st-4th", "10th", "Doctorate", "5th-6th", "Preschool"]'
marital='["Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed", "Married-spouse-absent", "Married-AF-spouse"]'
occupation='["Tech-support", "Craft-repair", "Other-service", "Sales", "Exec-managerial", "Prof-specialty", "Handlers-cleaners",
  "Machine-op-inspct", "Adm-clerical", "Farming-fishing", "Transport-moving", "Priv-house-serv", "Protective-serv", "Armed-Forces", "?"]'
relationship='["Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried"]'
race='["White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"]'
sex='["Female", "Male"]'
country='["United-States", "Cambodia", "England", "Puerto-Rico", "Canada", "Germany", "Outlying-US(Guam-USVI-etc)", "India", "Japan", "Greece",
  "South", "China", "Cuba", "Iran", "Honduras", "Philippines", "Italy", "Poland", "Jamaica", "Vietnam", "Mexico", "Portugal", "Ireland", "France",
  "Dominican-Republic", "Laos", "Ecuador", "Taiwan", "Haiti", "Columbia", "Hungary", "Guatemala", "Nicaragua", "Scotland", "Thailand",
  "Yugoslavia", "El-Salvador", "Trinadad&Tobago", "Peru", "Hong", "Holand-Netherlands", "?"]'
texts="\"workclass\": @$workclass#, \"education\": @$education#, \"marital\": @$marital#, \"occupation\": @$occupation#,
  \"relationship\": @$relationship#, \"race\": @$race#, \"sex\": @$sex#, \"country\": @$country#"
few="\"marital\": @$marital#, \"relationship\": @$relationship#, \"race\": @$race#, \"sex\": @$sex#"

as_levels() { # with what stands around a list in an encoder
  sed 's/@/{"levels": /g; s/#/}/g' <<<"$1"
}

as_lists() {
  tr -d '@#' <<<"$1"
}

compare() { # SET LABEL-DECLARATION BY-HAND KNOWN, of tables SET and SET_later
  local call
  [ -z "$only" ] || [ "$only" = "$1" ] || return 0
  unprivileged "psql -X -q -At -v ON_ERROR_STOP=1 -o '$W/said'" <<SQL
SET client_min_messages = warning;
SELECT count(*) AS n FROM $1 \\gset
CREATE TABLE $1_found (way text, accuracy float8);
$(for call in $(seq "$calls"); do
    for way in hand suggested; do cat <<CALL
SELECT dpobj.protect(t, '{$2}', n => :n) FROM unnest('{$1,$1_later}'::regclass[]) t;
SELECT dpobj.set_budget(t, 'postgres', 1000000, 0) FROM unnest('{$1,$1_later}'::regclass[]) t;
$([ "$way" = hand ] && echo "SELECT '{$2, $3}' AS declared \\gset" || echo "SELECT dpobj.suggest('$1', 0.1, '{$4}') AS declared \\gset")
SELECT dpobj.protect(t, :'declared', n => :n) FROM unnest('{$1,$1_later}'::regclass[]) t;
SELECT dpobj.train('$1', 'label', $([ "$way" = hand ] && echo 1 || echo 0.9), options => '{"coverage_epsilon": 0}', name => '$1_$way$call');
INSERT INTO $1_found SELECT '$way', dpobj.evaluate('$1_$way$call', '$1_later', 1000);
CALL
    done
  done)
SQL
  unprivileged "psql -X -q -At -F ' '" <<SQL
SELECT '$1:', string_agg(format('%s %s +- %s', way, mean, error), ', ' ORDER BY way)
  FROM (SELECT way, round(100 * avg(accuracy)::numeric, 2) AS mean, round((100 * stddev(accuracy) / sqrt(count(*)))::numeric, 2) AS error
          FROM $1_found GROUP BY way) s;
SQL
}

unprivileged "psql -X -q -v ON_ERROR_STOP=1" <<SQL
CREATE EXTENSION dpobj;
CREATE TABLE adult (age int, workclass text, weight int, education text, education_num int, marital text, occupation text, relationship text,
  race text, sex text, gain int, loss int, hours int, country text, label text);
CREATE TABLE adult_later (LIKE adult);
\\copy adult FROM '$W/adult.data.csv' (FORMAT csv)
\\copy adult_later FROM '$W/adult.test.csv' (FORMAT csv)
CREATE TABLE balanced (label int, marital text, relationship text, race text, sex text, gain int, loss int, hours int, id int GENERATED ALWAYS AS IDENTITY);
\\copy balanced (label, marital, relationship, race, sex, gain, loss, hours) FROM '$W/balanced.csv' (FORMAT csv)
CREATE TABLE magic (label int, same float8, c1 float8, c2 float8, c3 float8, c4 float8, c5 float8, c6 float8, c7 float8, c8 float8, c9 float8, c10 float8,
  id int GENERATED ALWAYS AS IDENTITY);
\\copy magic (label, same, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10) FROM '$W/magic.csv' (FORMAT csv)
CREATE TABLE balanced_later AS SELECT * FROM balanced WHERE id % 5 = 0;
CREATE TABLE magic_later AS SELECT * FROM magic WHERE id % 5 = 0;
DELETE FROM balanced WHERE id % 5 = 0;
DELETE FROM magic WHERE id % 5 = 0;
SQL

compare adult '"label": {"positive": [">50K"], "negative": ["<=50K"]}' \
  "$(as_levels "$texts"), \"gain\": {\"bins\": [1, 5000]}, \"loss\": {\"bins\": [1500]}, \"age\": {\"bins\": [25, 35, 60]}" \
  "$(as_lists "$texts"), \"age\": [0, 120], \"weight\": [0, 1000000], \"education_num\": [1, 16], \"gain\": [0, 100000], \"loss\": [0, 5000], \"hours\": [0, 100]"
compare balanced '"label": {"positive": [1], "negative": [-1]}' \
  "$(as_levels "$few"), \"gain\": {\"scale\": 99999}, \"loss\": {\"scale\": 4356}, \"hours\": {\"scale\": 99}" \
  "$(as_lists "$few"), \"gain\": [0, 100000], \"loss\": [0, 5000], \"hours\": [0, 100]"
compare magic '"label": {"positive": [1], "negative": [0]}' \
  "$(printf '"c%d": {}, ' {1..9}) \"c10\": {}" "$(printf '"c%d": [-1, 1], ' {1..9}) \"c10\": [-1, 1]"
