-- One-hot groups of 7, 6, 5 and 2 declared levels, then three numbers in [0, 1]: d = 23.
CREATE EXTENSION dpobj;
CREATE TABLE adult AS
SELECT ARRAY[
         (marital = 'Divorced')::int, (marital = 'Married-AF-spouse')::int,
         (marital = 'Married-civ-spouse')::int, (marital = 'Married-spouse-absent')::int,
         (marital = 'Never-married')::int, (marital = 'Separated')::int, (marital = 'Widowed')::int,
         (relationship = 'Husband')::int, (relationship = 'Not-in-family')::int,
         (relationship = 'Other-relative')::int, (relationship = 'Own-child')::int,
         (relationship = 'Unmarried')::int, (relationship = 'Wife')::int,
         (race = 'Amer-Indian-Eskimo')::int, (race = 'Asian-Pac-Islander')::int,
         (race = 'Black')::int, (race = 'Other')::int, (race = 'White')::int,
         (sex = 'Female')::int, (sex = 'Male')::int,
         gain, loss, hours]::float8[] AS features,
       label
FROM census;
ALTER TABLE adult ADD CHECK (cardinality(features) = 23);
VACUUM ANALYZE adult;
