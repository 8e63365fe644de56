-- Models for other programs

CREATE OR REPLACE FUNCTION dpobj.model_pmml(model dpobj.model_argument, owner regrole DEFAULT NULL) RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_pmml';
COMMENT ON FUNCTION dpobj.model_pmml(dpobj.model_argument, regrole) IS
  'a model as PMML 4.4, which predicts from the columns that it was trained on; one that was trained on arrays reads fields f1, f2, ...';

CREATE OR REPLACE FUNCTION dpobj.model_json(model dpobj.model_argument, owner regrole DEFAULT NULL) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_json';
COMMENT ON FUNCTION dpobj.model_json(dpobj.model_argument, regrole) IS
  'what the weights of a model are multiplied by: features with their columns and encoders, weights, intercepts and classes; one that was trained on arrays reads columns f1, f2, ...';
