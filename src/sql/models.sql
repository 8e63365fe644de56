-- Models

CREATE TYPE @extschema@.dp_model AS (
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
COMMENT ON TYPE @extschema@.dp_model IS 'a model released under differential privacy';
COMMENT ON COLUMN @extschema@.dp_model.kind IS 'halfspace, logistic or svm: each predicts positive if and only if the score is greater than 0; simplex or linear: the score is the prediction; softmax or one_vs_rest: the class of the highest score is';
COMMENT ON COLUMN @extschema@.dp_model.mechanism IS 'the mechanism that chose the weights';
COMMENT ON COLUMN @extschema@.dp_model.weights IS 'one weight for each feature, then the intercept if there is one; of a model of several classes these of each class in turn';
COMMENT ON COLUMN @extschema@.dp_model.epsilon IS 'epsilon charged for this release';
COMMENT ON COLUMN @extschema@.dp_model.delta IS 'delta charged for this release; 0 under pure differential privacy';
COMMENT ON COLUMN @extschema@.dp_model.adjacency IS 'replace or add_remove: which data sets count as neighbours';
COMMENT ON COLUMN @extschema@.dp_model.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN @extschema@.dp_model.details IS 'public parameters: options, grid size, noise, encoding of the features';

CREATE OR REPLACE FUNCTION @extschema@.dp_score(model @extschema@.dp_model, features float8[]) RETURNS float8
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_score';
COMMENT ON FUNCTION @extschema@.dp_score(@extschema@.dp_model, float8[]) IS
  'score of a model: <weights, encoded features>; null if a feature is null or NaN';

CREATE OR REPLACE FUNCTION @extschema@.dp_predict(model @extschema@.dp_model, features float8[]) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict';
COMMENT ON FUNCTION @extschema@.dp_predict(@extschema@.dp_model, float8[]) IS
  'prediction of a model: is the score greater than 0?';

CREATE OR REPLACE FUNCTION @extschema@.dp_predict_proba(model @extschema@.dp_model, features float8[]) RETURNS float8
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_proba';
COMMENT ON FUNCTION @extschema@.dp_predict_proba(@extschema@.dp_model, float8[]) IS
  'probability of a positive label. It is calibrated if the model''s rating has enough rows; otherwise only a logistic model has one, 1 / (1 + exp(-score))';

CREATE OR REPLACE FUNCTION dpobj_internal.model_hash(model @extschema@.dp_model) RETURNS bytea
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_hash';
COMMENT ON FUNCTION dpobj_internal.model_hash(@extschema@.dp_model) IS
  'internal: SHA-256 over every attribute of a model, as the ledger keeps it';

/*
 * One row per model, or for each key of a release for groups, and per answer of a look or an
 * evaluation of the analyst's door.  The charge worker writes the row in the transaction of the
 * charge, and the model or answer in that of the released event: what was released can be read
 * again even if the session has died.  The owner changes the rest (registry.sql).
 */
CREATE TABLE dpobj.model_rows
(
    release bigint,
    place int DEFAULT 1,
    owner bigint NOT NULL,
    name text,
    request_hash bytea,
    released timestamptz,
    model @extschema@.dp_model,
    key text[],
    answer jsonb,
    charged_as text,
    comment text,
    retired timestamptz,
    deleted timestamptz,
    hash bytea,
    PRIMARY KEY (release, place),
    CONSTRAINT model_name_key UNIQUE (owner, name),
    CONSTRAINT model_released CHECK ((released IS NULL OR deleted IS NOT NULL) = (model IS NULL AND answer IS NULL))
);
SELECT pg_catalog.pg_extension_config_dump('dpobj.model_rows', '');
COMMENT ON TABLE dpobj.model_rows IS 'released models and answers, places for those that are being made, and what is left of deleted ones';
COMMENT ON INDEX dpobj.model_rows_pkey IS 'a release makes one model or answer, or a model for each key';
COMMENT ON INDEX dpobj.model_name_key IS 'a name is unique among the models and answers of a role';
COMMENT ON COLUMN dpobj.model_rows.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.model_rows.place IS 'place of the key on its list, from 1; 1 for a model without a key';
COMMENT ON COLUMN dpobj.model_rows.owner IS 'identity of the session user who was charged';
COMMENT ON COLUMN dpobj.model_rows.name IS 'name that it has now; null: none';
COMMENT ON COLUMN dpobj.model_rows.request_hash IS 'SHA-256 of the request at the analyst''s door; null: an aggregate';
COMMENT ON COLUMN dpobj.model_rows.released IS 'when it was released';
COMMENT ON COLUMN dpobj.model_rows.model IS 'the model; null while there is none, of an answer, and of what was deleted';
COMMENT ON COLUMN dpobj.model_rows.key IS 'key of the group that it is about; null: the whole table';
COMMENT ON COLUMN dpobj.model_rows.answer IS 'answer of a look or an evaluation: an array with an object for each row; null while there is none, of a model, and of what was deleted';
COMMENT ON COLUMN dpobj.model_rows.charged_as IS 'name that was charged, which was followed by the key if there is one; null: it is called so now';
COMMENT ON COLUMN dpobj.model_rows.comment IS 'what the owner says of it; null: nothing';
COMMENT ON COLUMN dpobj.model_rows.retired IS 'when the owner retired the model; null: it is in use';
COMMENT ON COLUMN dpobj.model_rows.deleted IS 'when the owner deleted it; null: it is there';
COMMENT ON COLUMN dpobj.model_rows.hash IS 'of a deleted model: its SHA-256';
