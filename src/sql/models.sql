-- Models

CREATE TYPE dp_model AS (
  kind text,
  mechanism text,
  weights float8[],
  epsilon float8,
  delta float8,
  adjacency text,
  guarantee text,
  release bigint,
  details jsonb
);
COMMENT ON TYPE dp_model IS 'a model released under differential privacy';
COMMENT ON COLUMN dp_model.kind IS 'halfspace: predicts positive if and only if the score is greater than 0';
COMMENT ON COLUMN dp_model.mechanism IS 'the mechanism that chose the weights';
COMMENT ON COLUMN dp_model.weights IS 'one weight for each feature, then the intercept if there is one';
COMMENT ON COLUMN dp_model.epsilon IS 'epsilon charged for this release';
COMMENT ON COLUMN dp_model.delta IS 'delta charged for this release; 0 under pure differential privacy';
COMMENT ON COLUMN dp_model.adjacency IS 'replace or add_remove: which data sets count as neighbours';
COMMENT ON COLUMN dp_model.guarantee IS 'exact, float, conditional (a limit was set) or unproven';
COMMENT ON COLUMN dp_model.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dp_model.details IS 'public parameters: options, grid size, noise, encoding of the features';

CREATE FUNCTION dp_score(model dp_model, features float8[]) RETURNS float8
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_score';
COMMENT ON FUNCTION dp_score(dp_model, float8[]) IS
  'score of a model: <weights, encoded features>; null if a feature is null or NaN';

CREATE FUNCTION dp_predict(model dp_model, features float8[]) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict';
COMMENT ON FUNCTION dp_predict(dp_model, float8[]) IS
  'prediction of a model: is the score greater than 0?';

CREATE FUNCTION dpobj.model_hash(model dp_model) RETURNS bytea
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_hash';
COMMENT ON FUNCTION dpobj.model_hash(dp_model) IS
  'SHA-256 over every attribute of a model, as the ledger keeps it';

-- A value of type dp_model can be forged; the ledger cannot.
CREATE FUNCTION dpobj.verify(model dp_model) RETURNS boolean
  LANGUAGE sql STABLE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT EXISTS (
      SELECT FROM dpobj.ledger_events e
      WHERE e.event = 'released' AND e.release = model.release
        AND e.output_hash = dpobj.model_hash(model))
  $$;
COMMENT ON FUNCTION dpobj.verify(dp_model) IS
  'was this very model released? compares its hash with the ledger';
