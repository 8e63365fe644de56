-- The papers' instance: every person above 50K and as many of the others, chosen by a fixed order.
CREATE TABLE census AS
WITH person AS (
  SELECT trim(marital) AS marital, trim(relationship) AS relationship, trim(race) AS race,
         trim(sex) AS sex, trim(capital_gain)::float8 / 99999 AS gain,
         trim(capital_loss)::float8 / 4356 AS loss, trim(hours)::float8 / 99 AS hours,
         trim(class) LIKE '>50K%' AS label,
         row_number() OVER (PARTITION BY trim(class) LIKE '>50K%'
                            ORDER BY md5(census_raw::text), census_raw::text) AS position
  FROM census_raw
)
SELECT marital, relationship, race, sex, gain, loss, hours, label
FROM person
WHERE position <= (SELECT count(*) FROM person WHERE label);
