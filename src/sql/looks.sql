-- Looks: private counts, sums, averages, histograms, quantiles, profiles and suggestions; what both doors return, and the analyst's door

CREATE TYPE @extschema@.dp_look AS (
  value float8,
  low float8,
  high float8,
  confidence float8
);
COMMENT ON TYPE @extschema@.dp_look IS 'a number with noise, and where the truth is';
COMMENT ON COLUMN @extschema@.dp_look.value IS 'the number with its noise; a count of few rows may be negative';
COMMENT ON COLUMN @extschema@.dp_look.low IS 'the truth is not below it, but for a chance of 1 - confidence for both ends';
COMMENT ON COLUMN @extschema@.dp_look.high IS 'nor above it';
COMMENT ON COLUMN @extschema@.dp_look.confidence IS 'how sure the interval is';

CREATE TYPE @extschema@.dp_average AS (
  value float8,
  low float8,
  high float8,
  rows bigint,
  confidence float8
);
COMMENT ON TYPE @extschema@.dp_average IS 'an average with noise, and where the truth is';
COMMENT ON COLUMN @extschema@.dp_average.value IS 'the average with its noise; null where no rows are left of the noise';
COMMENT ON COLUMN @extschema@.dp_average.low IS 'the truth is not below it, but for a chance of 1 - confidence for both ends';
COMMENT ON COLUMN @extschema@.dp_average.high IS 'nor above it';
COMMENT ON COLUMN @extschema@.dp_average.rows IS 'number of rows with a value, with noise';
COMMENT ON COLUMN @extschema@.dp_average.confidence IS 'how sure the interval is';

CREATE TYPE @extschema@.dp_bin AS (
  bin text,
  value float8,
  low float8,
  high float8,
  confidence float8
);
COMMENT ON TYPE @extschema@.dp_bin IS 'a bin of a histogram and its noisy number of rows';
COMMENT ON COLUMN @extschema@.dp_bin.bin IS 'a range, a level, NULL, or other';
COMMENT ON COLUMN @extschema@.dp_bin.value IS 'number of rows with its noise; where there are few, it may be negative';
COMMENT ON COLUMN @extschema@.dp_bin.low IS 'the truth is not below it, but for a chance of 1 - confidence for both ends of this bin';
COMMENT ON COLUMN @extschema@.dp_bin.high IS 'nor above it';
COMMENT ON COLUMN @extschema@.dp_bin.confidence IS 'how sure the interval is';

CREATE TYPE @extschema@.dp_quantile AS (
  quantile float8,
  value float8,
  rank_error bigint,
  confidence float8
);
COMMENT ON TYPE @extschema@.dp_quantile IS 'a private quantile, and how far its rank may be off';
COMMENT ON COLUMN @extschema@.dp_quantile.quantile IS 'the share of rows that is wanted below the value, rounded to millionths';
COMMENT ON COLUMN @extschema@.dp_quantile.value IS 'a value of the public grid';
COMMENT ON COLUMN @extschema@.dp_quantile.rank_error IS 'its rank is at most so many rows and 4 millionths of all rows off, but for a chance of 1 - confidence for all quantiles of the call';
COMMENT ON COLUMN @extschema@.dp_quantile.confidence IS 'how sure the bound is';

CREATE OR REPLACE FUNCTION dpobj.count(relation regclass, epsilon numeric, by text[] DEFAULT NULL, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (key text[], value float8, low float8, high float8, confidence float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_look';
COMMENT ON FUNCTION dpobj.count(regclass, numeric, text[], jsonb, jsonb, text) IS
  'private number of rows of a protected table, or of each combination of declared values of the columns in by';

CREATE OR REPLACE FUNCTION dpobj.sum(relation regclass, "column" text, epsilon numeric, by text[] DEFAULT NULL, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (key text[], value float8, low float8, high float8, confidence float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_look';
COMMENT ON FUNCTION dpobj.sum(regclass, text, numeric, text[], jsonb, jsonb, text) IS
  'private sum of a column of a protected table, its values clipped to public bounds';

CREATE OR REPLACE FUNCTION dpobj.avg(relation regclass, "column" text, epsilon numeric, by text[] DEFAULT NULL, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (key text[], value float8, low float8, high float8, rows bigint, confidence float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_look';
COMMENT ON FUNCTION dpobj.avg(regclass, text, numeric, text[], jsonb, jsonb, text) IS
  'private average of a column of a protected table, its values clipped to public bounds';

CREATE OR REPLACE FUNCTION dpobj.histogram(relation regclass, "column" text, epsilon numeric, by text[] DEFAULT NULL, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (key text[], bin text, value float8, low float8, high float8, confidence float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_look';
COMMENT ON FUNCTION dpobj.histogram(regclass, text, numeric, text[], jsonb, jsonb, text) IS
  'private number of rows in each declared bin or level of a column of a protected table, of NULLs and of other values';

CREATE OR REPLACE FUNCTION dpobj.quantiles(relation regclass, "column" text, quantiles float8[], epsilon numeric, by text[] DEFAULT NULL,
    filter jsonb DEFAULT NULL, options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (key text[], quantile float8, value float8, rank_error bigint, confidence float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_look';
COMMENT ON FUNCTION dpobj.quantiles(regclass, text, float8[], numeric, text[], jsonb, jsonb, text) IS
  'private quantiles of a column of a protected table, its values clipped to public bounds';

CREATE OR REPLACE FUNCTION dpobj.profile(relation regclass, epsilon numeric, columns text[] DEFAULT NULL, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE ("column" text, bin text, rows float8, low float8, high float8, share float8, bar text)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_look';
COMMENT ON FUNCTION dpobj.profile(regclass, numeric, text[], jsonb, jsonb, text) IS
  'private number of rows that a training can use, and in each bin of each declared column: levels, NULL, other, outside the clip';

CREATE OR REPLACE FUNCTION dpobj.discover(relation regclass, "column" text, epsilon numeric, delta numeric, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (level text, value float8, low float8, high float8, confidence float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_look';
COMMENT ON FUNCTION dpobj.discover(regclass, text, numeric, numeric, jsonb, jsonb, text) IS
  'private levels of a column that nobody has declared, those that enough persons have, and how many have each';

CREATE OR REPLACE FUNCTION dpobj.suggest(relation regclass, epsilon numeric, columns jsonb DEFAULT NULL, filter jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_suggest';
COMMENT ON FUNCTION dpobj.suggest(regclass, numeric, jsonb, jsonb, text) IS
  'a declaration for dpobj.protect: what is declared, and encoders from public ranges and lists of levels, and private quantiles and counts';

CREATE OR REPLACE FUNCTION dpobj.residuals(model text, relation regclass, epsilon numeric, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (measure text, value float8, low float8, high float8, sample_low float8, sample_high float8, confidence float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_look';
COMMENT ON FUNCTION dpobj.residuals(text, regclass, numeric, jsonb, jsonb, text) IS
  'private R-squared and mean absolute error of a named model of one''s own that predicts a number, on a protected table';

CREATE OR REPLACE FUNCTION dpobj.auc(model text, relation regclass, epsilon numeric, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (value float8, low float8, high float8, sample_low float8, sample_high float8, ties float8, confidence float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_look';
COMMENT ON FUNCTION dpobj.auc(text, regclass, numeric, jsonb, jsonb, text) IS
  'private AUC of a named model of one''s own with two classes on a protected table, from a histogram of its scores, and half the share of pairs that share a bin';

CREATE OR REPLACE FUNCTION dpobj.calibration(model text, relation regclass, epsilon numeric, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (bin_low float8, bin_high float8, rows bigint, share float8, low float8, high float8, sample_low float8, sample_high float8, confidence float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_look';
COMMENT ON FUNCTION dpobj.calibration(text, regclass, numeric, jsonb, jsonb, text) IS
  'private share of positive rows in each bin of the probability that a named model of one''s own predicts, on a protected table';
