-- Models for other programs

CREATE OR REPLACE FUNCTION dpobj.model_pmml(name text, owner regrole DEFAULT NULL) RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_pmml';
COMMENT ON FUNCTION dpobj.model_pmml(text, regrole) IS
  'a named model as PMML 4.4, which predicts from the columns that it was trained on';
CREATE OR REPLACE FUNCTION dpobj.model_pmml(model @extschema@.dp_model) RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_pmml';
COMMENT ON FUNCTION dpobj.model_pmml(@extschema@.dp_model) IS
  'a model as PMML 4.4; one that was trained on arrays reads fields f1, f2, ...';

CREATE OR REPLACE FUNCTION dpobj.model_json(name text, owner regrole DEFAULT NULL) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_json';
COMMENT ON FUNCTION dpobj.model_json(text, regrole) IS
  'what the weights of a named model are multiplied by: features with their columns and encoders, weights, intercepts and classes';
CREATE OR REPLACE FUNCTION dpobj.model_json(model @extschema@.dp_model) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_json';
COMMENT ON FUNCTION dpobj.model_json(@extschema@.dp_model) IS
  'what the weights of a model are multiplied by; one that was trained on arrays reads columns f1, f2, ...';
