-- Models for other programs

CREATE OR REPLACE FUNCTION dpobj.export(model dpobj.model_argument, format text, owner regrole DEFAULT NULL) RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_export';
COMMENT ON FUNCTION dpobj.export(dpobj.model_argument, text, regrole) IS
  'a model for other programs; format: json, what its weights are multiplied by, features with their columns and encoders, weights, intercepts and classes; or pmml, PMML 4.4, which predicts from the columns that it was trained on; one that was trained on arrays reads columns f1, f2, ...';
