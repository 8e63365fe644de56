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
COMMENT ON COLUMN @extschema@.dp_model.kind IS 'halfspace, logistic or svm: each predicts positive if and only if the score is greater than 0; simplex: the score is the prediction';
COMMENT ON COLUMN @extschema@.dp_model.mechanism IS 'the mechanism that chose the weights';
COMMENT ON COLUMN @extschema@.dp_model.weights IS 'one weight for each feature, then the intercept if there is one';
COMMENT ON COLUMN @extschema@.dp_model.epsilon IS 'epsilon charged for this release';
COMMENT ON COLUMN @extschema@.dp_model.delta IS 'delta charged for this release; 0 under pure differential privacy';
COMMENT ON COLUMN @extschema@.dp_model.adjacency IS 'replace or add_remove: which data sets count as neighbours';
COMMENT ON COLUMN @extschema@.dp_model.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN @extschema@.dp_model.details IS 'public parameters: options, grid size, noise, encoding of the features';

CREATE FUNCTION @extschema@.dp_score(model @extschema@.dp_model, features float8[]) RETURNS float8
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_score';
COMMENT ON FUNCTION @extschema@.dp_score(@extschema@.dp_model, float8[]) IS
  'score of a model: <weights, encoded features>; null if a feature is null or NaN';

CREATE FUNCTION @extschema@.dp_predict(model @extschema@.dp_model, features float8[]) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict';
COMMENT ON FUNCTION @extschema@.dp_predict(@extschema@.dp_model, float8[]) IS
  'prediction of a model: is the score greater than 0?';

CREATE FUNCTION @extschema@.dp_predict_proba(model @extschema@.dp_model, features float8[]) RETURNS float8
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_proba';
COMMENT ON FUNCTION @extschema@.dp_predict_proba(@extschema@.dp_model, float8[]) IS
  'probability of a positive label by a logistic model: 1 / (1 + exp(-score))';

CREATE FUNCTION dpobj.model_hash(model @extschema@.dp_model) RETURNS bytea
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_hash';
COMMENT ON FUNCTION dpobj.model_hash(@extschema@.dp_model) IS
  'SHA-256 over every attribute of a model, as the ledger keeps it';

/*
 * One row per model, written by the charge worker: the place
 * in the transaction of the charge, the model in that of the released event.  A release of
 * groups has a model, and a place, for each of its keys.  So a
 * model that was paid for can be read again, whatever became of the session.
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
    PRIMARY KEY (release, place),
    CONSTRAINT model_name_key UNIQUE (owner, name),
    CONSTRAINT model_released CHECK ((released IS NULL) = (model IS NULL))
);
REVOKE ALL ON TABLE dpobj.model_rows FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('dpobj.model_rows', '');
CREATE TRIGGER model_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.model_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.refuse_change('Models are written by the charge worker only.');
ALTER TABLE dpobj.model_rows ENABLE ALWAYS TRIGGER model_guard;
COMMENT ON TABLE dpobj.model_rows IS 'released models, and places for those that are being made; written by the charge worker only';
COMMENT ON INDEX dpobj.model_rows_pkey IS 'a release makes one model, or one for each key';
COMMENT ON INDEX dpobj.model_name_key IS 'a name is unique among the models of a role';
COMMENT ON TRIGGER model_guard ON dpobj.model_rows IS 'refuses changes by hand for everybody but superusers';
COMMENT ON COLUMN dpobj.model_rows.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.model_rows.place IS 'place of the key on its list, from 1; 1 for a model without a key';
COMMENT ON COLUMN dpobj.model_rows.owner IS 'identity of the session user who was charged';
COMMENT ON COLUMN dpobj.model_rows.name IS 'name that the owner gave, followed by the key if there is one; null: none';
COMMENT ON COLUMN dpobj.model_rows.request_hash IS 'SHA-256 of the request of dpobj.train or dpobj.train_groups; null: an aggregate';
COMMENT ON COLUMN dpobj.model_rows.released IS 'when it was released';
COMMENT ON COLUMN dpobj.model_rows.model IS 'the model; null while there is none';
COMMENT ON COLUMN dpobj.model_rows.key IS 'key of the group that it is about; null: the whole table';

CREATE VIEW dpobj.models WITH (security_barrier) AS
SELECT m.name,
       m.model,
       CASE WHEN pg_catalog.parse_ident(e.relation_name) OPERATOR(pg_catalog.=) ARRAY[n.nspname::text, c.relname::text]
            THEN c.oid::regclass END AS relation,
       e.relation_name,
       coalesce(r.role_name, r.recorded_name) AS owner,
       m.released AS created,
       m.release,
       m.key
  FROM dpobj.model_rows m
  JOIN dpobj.ledger_events e ON e.id = m.release
  JOIN dpobj.identity_roles r ON r.id = m.owner
  LEFT JOIN pg_catalog.pg_class c ON c.oid = e.relation
  LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE m.model IS NOT NULL
   AND (r.role_name = current_user
        OR EXISTS (SELECT FROM pg_catalog.pg_roles s WHERE s.rolname = current_user AND s.rolsuper));
REVOKE ALL ON TABLE dpobj.models FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.models TO PUBLIC;
COMMENT ON VIEW dpobj.models IS 'released models of the current role; all of them for superusers';
COMMENT ON COLUMN dpobj.models.name IS 'name given to dpobj.train, or to dpobj.train_groups and followed by the key; null: none';
COMMENT ON COLUMN dpobj.models.model IS 'the model';
COMMENT ON COLUMN dpobj.models.relation IS 'the table it was trained on; null when no table has the recorded OID and name any more';
COMMENT ON COLUMN dpobj.models.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.models.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.models.created IS 'when it was released';
COMMENT ON COLUMN dpobj.models.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.models.key IS 'key of the group that it is about; null: the whole table';

-- A value of type dp_model can be forged; the ledger cannot.  Of groups it holds the hash of all
-- models' hashes in the order of their keys.
CREATE FUNCTION dpobj.verify(model @extschema@.dp_model) RETURNS boolean
  LANGUAGE sql STABLE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT EXISTS (
      SELECT FROM dpobj.ledger_events e
      WHERE e.event = 'released' AND e.release = model.release
        AND (e.output_hash = dpobj.model_hash(model)
             OR (SELECT sha256(string_agg(h.hash, '' ORDER BY h.place)) = e.output_hash
                        AND bool_or(h.hash = dpobj.model_hash(model))
                 FROM (SELECT m.place, dpobj.model_hash(m.model) AS hash FROM dpobj.model_rows m
                       WHERE m.release = e.release AND m.key IS NOT NULL) h)))
  $$;
COMMENT ON FUNCTION dpobj.verify(@extschema@.dp_model) IS
  'was this very model released? compares its hash with the ledger';
