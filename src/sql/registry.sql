-- The registry: models with their comments, and what their owners change

CREATE OR REPLACE VIEW dpobj.models_seen AS
SELECT m.name,
       m.model,
       CASE WHEN dpobj_internal.table_named(e.relation_name) = e.relation THEN e.relation::regclass END AS relation,
       e.relation_name,
       coalesce(r.role_name, r.recorded_name) AS owner,
       m.released AS created,
       m.release,
       m.key,
       CASE WHEN u.owns THEN ARRAY(SELECT s.role_name::text FROM dpobj.model_readers s
                                   WHERE s.release = m.release AND s.place = m.place ORDER BY 1) END AS shared_with,
       m.comment,
       m.retired
  FROM dpobj.model_rows m
  JOIN dpobj.ledger_events e ON e.id = m.release
  JOIN dpobj.identity_roles r ON r.id = m.owner
 CROSS JOIN LATERAL
       (SELECT coalesce(r.role = dpobj_internal.reader(), false)
               OR EXISTS (SELECT FROM pg_catalog.pg_roles s WHERE s.oid = dpobj_internal.reader() AND s.rolsuper) AS owns) u
 WHERE m.model IS NOT NULL
   AND (u.owns OR EXISTS (SELECT FROM dpobj.model_readers s WHERE s.release = m.release AND s.place = m.place
                          AND pg_catalog.pg_has_role(dpobj_internal.reader(), s.role, 'USAGE')));
COMMENT ON VIEW dpobj.models_seen IS 'dpobj.models of the role dpobj_internal.reader()';
CREATE OR REPLACE FUNCTION dpobj_internal.see_models() RETURNS SETOF dpobj.models_seen
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_see';
COMMENT ON FUNCTION dpobj_internal.see_models() IS 'internal: dpobj.models_seen for the reader';
CREATE OR REPLACE VIEW dpobj.models AS SELECT * FROM dpobj_internal.see_models();
COMMENT ON VIEW dpobj.models IS 'released models of the current role, and those that are shared with it; all of them for superusers';
COMMENT ON COLUMN dpobj.models.name IS 'name given to dpobj.train, or to dpobj.train_groups and followed by the key, or to dpobj.rename; null: none';
COMMENT ON COLUMN dpobj.models.model IS 'the model';
COMMENT ON COLUMN dpobj.models.relation IS 'the table it was trained on; null when no table has the recorded OID and name any more';
COMMENT ON COLUMN dpobj.models.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.models.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.models.created IS 'when it was released';
COMMENT ON COLUMN dpobj.models.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.models.key IS 'key of the group that it is about; null: the whole table';
COMMENT ON COLUMN dpobj.models.shared_with IS 'roles that its owner shares it with; null for these';
COMMENT ON COLUMN dpobj.models.comment IS 'what its owner says of it; null: nothing';
COMMENT ON COLUMN dpobj.models.retired IS 'since when its name cannot be applied or rated; null: it can';

-- Auditors, who see no models, see these columns of all.
CREATE OR REPLACE VIEW dpobj.model_list_seen AS
SELECT m.name,
       (m.model).kind,
       (m.model).details ->> 'label' AS label,
       e.relation_name,
       (m.model).epsilon,
       m.released::date AS created,
       m.retired::date AS retired,
       coalesce(r.role_name, r.recorded_name) AS owner,
       m.release
  FROM dpobj.model_rows m
  JOIN dpobj.ledger_events e ON e.id = m.release
  JOIN dpobj.identity_roles r ON r.id = m.owner
 WHERE m.model IS NOT NULL
   AND (dpobj_internal.reader_sees_all()
        OR EXISTS (SELECT FROM dpobj.models_seen v WHERE v.release = m.release AND v.key IS NOT DISTINCT FROM m.key));
COMMENT ON VIEW dpobj.model_list_seen IS 'dpobj.model_list of the role dpobj_internal.reader()';
CREATE OR REPLACE FUNCTION dpobj_internal.see_model_list() RETURNS SETOF dpobj.model_list_seen
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_see';
COMMENT ON FUNCTION dpobj_internal.see_model_list() IS 'internal: dpobj.model_list_seen for the reader';
CREATE OR REPLACE VIEW dpobj.model_list AS SELECT * FROM dpobj_internal.see_model_list();
COMMENT ON VIEW dpobj.model_list IS 'dpobj.models in a few narrow columns, for people; the models of all roles for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.model_list.name IS 'name of the model; null: none';
COMMENT ON COLUMN dpobj.model_list.kind IS 'halfspace, logistic, svm, softmax, one_vs_rest, linear or simplex';
COMMENT ON COLUMN dpobj.model_list.label IS 'column that it predicts; null: it was trained on arrays';
COMMENT ON COLUMN dpobj.model_list.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.model_list.epsilon IS 'epsilon charged for its release';
COMMENT ON COLUMN dpobj.model_list.created IS 'when it was released';
COMMENT ON COLUMN dpobj.model_list.retired IS 'when it was retired; null: it is in use';
COMMENT ON COLUMN dpobj.model_list.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.model_list.release IS 'id of the charge in dpobj.ledger';

CREATE OR REPLACE FUNCTION dpobj.rename(name text, new_name text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_rename';
COMMENT ON FUNCTION dpobj.rename(text, text) IS 'gives a model or an answer of one''s own another name; the old one is free';

CREATE OR REPLACE FUNCTION dpobj.comment(name text, comment text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_comment';
COMMENT ON FUNCTION dpobj.comment(text, text) IS 'comments a model or an answer of one''s own; null removes the comment';

CREATE OR REPLACE FUNCTION dpobj.retire(name text, retired boolean DEFAULT true) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_retire';
COMMENT ON FUNCTION dpobj.retire(text, boolean) IS
  'keeps a model of one''s own from being applied or rated by its name; with false it can be again';

CREATE OR REPLACE FUNCTION dpobj.delete(name text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_delete';
COMMENT ON FUNCTION dpobj.delete(text) IS
  'deletes a model or an answer of one''s own; the ledger keeps its charge and its hash, and the name is free';
