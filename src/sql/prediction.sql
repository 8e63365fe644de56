-- Models in use: as JSON, on raw columns, as plain SQL, and as points

CREATE OR REPLACE FUNCTION dpobj_internal.model_to_json(model @extschema@.dp_model) RETURNS jsonb
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_to_json';
COMMENT ON FUNCTION dpobj_internal.model_to_json(@extschema@.dp_model) IS 'a model as JSON, from which it comes back the same; behind the cast';
CREATE CAST (@extschema@.dp_model AS jsonb) WITH FUNCTION dpobj_internal.model_to_json(@extschema@.dp_model) AS ASSIGNMENT;
COMMENT ON CAST (@extschema@.dp_model AS jsonb) IS 'a model as a JSON object';

CREATE OR REPLACE FUNCTION dpobj_internal.model_from_json(model jsonb) RETURNS @extschema@.dp_model
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_from_json';
COMMENT ON FUNCTION dpobj_internal.model_from_json(jsonb) IS 'a model that was written as JSON; behind the cast';
CREATE CAST (jsonb AS @extschema@.dp_model) WITH FUNCTION dpobj_internal.model_from_json(jsonb) AS ASSIGNMENT;
COMMENT ON CAST (jsonb AS @extschema@.dp_model) IS 'a model that was written as a JSON object';

-- These take a row and find its columns by name.

CREATE OR REPLACE FUNCTION dpobj.predict(model dpobj.model_argument, "row" record, owner regrole DEFAULT NULL) RETURNS boolean
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_row';
COMMENT ON FUNCTION dpobj.predict(dpobj.model_argument, record, regrole) IS
  'prediction of a model for a row with the columns that it was trained on; null where there is none';

CREATE OR REPLACE FUNCTION dpobj.score(model dpobj.model_argument, "row" record, owner regrole DEFAULT NULL) RETURNS float8
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_score_row';
COMMENT ON FUNCTION dpobj.score(dpobj.model_argument, record, regrole) IS
  'score of a model for a row with the columns that it was trained on; null where there is none';

CREATE OR REPLACE FUNCTION dpobj.predict_proba(model dpobj.model_argument, "row" record, owner regrole DEFAULT NULL) RETURNS float8
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_proba_row';
COMMENT ON FUNCTION dpobj.predict_proba(dpobj.model_argument, record, regrole) IS
  'probability of a positive label, null where there is no prediction. It is calibrated if the model''s rating has enough rows; otherwise only a logistic model has one';

-- Without dpobj

CREATE OR REPLACE FUNCTION dpobj.predict_sql(model dpobj.model_argument, relation text DEFAULT NULL, owner regrole DEFAULT NULL)
  RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_sql';
COMMENT ON FUNCTION dpobj.predict_sql(dpobj.model_argument, text, regrole) IS
  'a model as a statement for a server without dpobj, on the table of the training or relation; one that was trained on arrays reads a column "features"';
