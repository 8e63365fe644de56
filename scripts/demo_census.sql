-- A census-like table from a seed: the shape of Adult, with nobody in it.
SELECT setseed(0.20261121) \g /dev/null
CREATE TABLE census AS
WITH draw AS (
  SELECT random() AS m, random() AS r, random() AS e, random() AS s, random() AS g, random() AS l,
         random() + random() AS h, random() AS y
  FROM generate_series(1, 15000)
), person AS (
  SELECT (ARRAY['Married-civ-spouse', 'Never-married', 'Divorced', 'Separated', 'Widowed',
                'Married-spouse-absent', 'Married-AF-spouse'])
           [CASE WHEN m < .58 THEN 1 WHEN m < .80 THEN 2 WHEN m < .92 THEN 3 WHEN m < .95 THEN 4
                 WHEN m < .98 THEN 5 WHEN m < .998 THEN 6 ELSE 7 END] AS marital,
         (ARRAY['Husband', 'Wife', 'Not-in-family', 'Own-child', 'Unmarried', 'Other-relative'])
           [CASE WHEN m < .58 THEN CASE WHEN r < .85 THEN 1 ELSE 2 END
                 WHEN r < .55 THEN 3 WHEN r < .75 THEN 4 WHEN r < .93 THEN 5 ELSE 6 END]
           AS relationship,
         (ARRAY['White', 'Black', 'Asian-Pac-Islander', 'Amer-Indian-Eskimo', 'Other'])
           [CASE WHEN e < .87 THEN 1 WHEN e < .95 THEN 2 WHEN e < .98 THEN 3 WHEN e < .99 THEN 4
                 ELSE 5 END] AS race,
         CASE WHEN m < .58 THEN CASE WHEN r < .85 THEN 'Male' ELSE 'Female' END
              WHEN s < .5 THEN 'Male' ELSE 'Female' END AS sex,
         CASE WHEN g < .10 THEN round((1000 + 14000 * l)::numeric)::float8 / 99999 ELSE 0 END AS gain,
         CASE WHEN g > .95 THEN round((1400 + 1200 * l)::numeric)::float8 / 4356 ELSE 0 END AS loss,
         round((20 + 22 * h)::numeric)::float8 / 99 AS hours, m, g, h, y
  FROM draw
)
SELECT marital, relationship, race, sex, gain, loss, hours,
       y < 1 / (1 + exp(2.7 - 3.4 * (m < .58)::int - 4 * (gain > .05)::int - 3 * (loss > 0)::int
                         - 2.5 * (h - 1))) AS label
FROM person;
