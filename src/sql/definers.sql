-- Functions that read dpobj's tables for callers who may not read them

/*
 * In 0.1.0 these were SECURITY DEFINER functions in SQL: if the extension was dropped while one
 * waited for a lock, it could read other tables of the same names as a superuser.  In C they keep
 * the extension from being dropped first.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.relatives(id bigint) RETURNS bigint[]
  LANGUAGE c STABLE STRICT COST 100 SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_relatives';
COMMENT ON FUNCTION dpobj_internal.relatives(bigint) IS
  'internal: identities of a table, its descendants and all ancestors of these, by what was charged';

-- A value of type dp_model can be forged, the ledger cannot.  For groups the ledger has one hash, over
-- the hashes of all models in the order of their keys.
CREATE OR REPLACE FUNCTION dpobj.verify(model @extschema@.dp_model) RETURNS boolean
  LANGUAGE c STABLE STRICT COST 100 SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_verify';
COMMENT ON FUNCTION dpobj.verify(@extschema@.dp_model) IS
  'was this very model released? compares its hash with the ledger; null: the release is another role''s, and the model is not shared with the current role';
