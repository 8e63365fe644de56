-- The analyst's door: training and evaluation without any privilege on the table

CREATE FUNCTION dpobj.train(relation regclass, label text, epsilon numeric, features text[] DEFAULT NULL,
    delta numeric DEFAULT 0, method text DEFAULT 'halfspace', options jsonb DEFAULT '{}',
    filter jsonb DEFAULT NULL, name text DEFAULT NULL) RETURNS @extschema@.dp_model
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_train';
COMMENT ON FUNCTION dpobj.train(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text) IS
  'trains a model on a protected table under a budget of the session''s role';

CREATE FUNCTION dpobj.evaluate(name text, relation regclass, epsilon numeric, filter jsonb DEFAULT NULL)
  RETURNS float8
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_evaluate';
COMMENT ON FUNCTION dpobj.evaluate(text, regclass, numeric, jsonb) IS
  'private estimate of the accuracy of a named model of one''s own on a protected table; null: too much noise';
