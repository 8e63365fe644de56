-- The analyst's door: training and evaluation without any privilege on the table

CREATE FUNCTION dpobj.evaluate(name text, relation regclass, epsilon numeric, filter jsonb DEFAULT NULL)
  RETURNS float8
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_evaluate';
COMMENT ON FUNCTION dpobj.evaluate(text, regclass, numeric, jsonb) IS
  'private estimate of the accuracy of a named model of one''s own on a protected table, or of R-squared if it predicts a number; null: too much noise';
