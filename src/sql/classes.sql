-- Models of several classes

CREATE OR REPLACE FUNCTION @extschema@.dp_predict_class(model @extschema@.dp_model, features float8[]) RETURNS text
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_class';
COMMENT ON FUNCTION @extschema@.dp_predict_class(@extschema@.dp_model, float8[]) IS
  'prediction of a softmax model: the class of the highest score; null if a feature is null or NaN';

CREATE OR REPLACE FUNCTION @extschema@.dp_predict_class_proba(model @extschema@.dp_model, features float8[]) RETURNS float8[]
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_class_proba';
COMMENT ON FUNCTION @extschema@.dp_predict_class_proba(@extschema@.dp_model, float8[]) IS
  'probability of each class by a softmax model, in the order of the classes; null if a feature is null or NaN';
