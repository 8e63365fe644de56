-- Models of several classes

CREATE OR REPLACE FUNCTION @extschema@.dp_predict_class(model @extschema@.dp_model, features float8[]) RETURNS text
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_class';
COMMENT ON FUNCTION @extschema@.dp_predict_class(@extschema@.dp_model, float8[]) IS
  'prediction of a model of several classes: the class of the highest score; null if a feature is null or NaN';

CREATE OR REPLACE FUNCTION @extschema@.dp_predict_class_proba(model @extschema@.dp_model, features float8[]) RETURNS float8[]
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_class_proba';
COMMENT ON FUNCTION @extschema@.dp_predict_class_proba(@extschema@.dp_model, float8[]) IS
  'probability of each class by a softmax model, in the order of the classes; null if a feature is null or NaN';

-- On the columns of a row, like dpobj.predict.

CREATE OR REPLACE FUNCTION dpobj.predict_class(model dpobj.model_argument, "row" record, owner regrole DEFAULT NULL) RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_class_row';
COMMENT ON FUNCTION dpobj.predict_class(dpobj.model_argument, record, regrole) IS
  'class that a model of several classes predicts for a row with the columns that it was trained on; null where there is none';

CREATE OR REPLACE FUNCTION dpobj.predict_class_proba(model dpobj.model_argument, "row" record, owner regrole DEFAULT NULL)
  RETURNS float8[]
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_class_proba_row';
COMMENT ON FUNCTION dpobj.predict_class_proba(dpobj.model_argument, record, regrole) IS
  'probability of each class by a softmax model, in the order of the classes; null where there is no prediction';
