-- Shares of models

-- The roles that may use a model.  After a restore OIDs differ, and the name identifies a role.
CREATE TABLE dpobj.model_shares
(
    release bigint,
    place int,
    origin text,
    role oid,
    role_name text NOT NULL,
    PRIMARY KEY (release, place, origin, role)
);
SELECT pg_catalog.pg_extension_config_dump('dpobj.model_shares', '');
COMMENT ON TABLE dpobj.model_shares IS 'models that their owners share; written by dpobj.share';
COMMENT ON INDEX dpobj.model_shares_pkey IS 'a model is shared with a role once';
COMMENT ON COLUMN dpobj.model_shares.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.model_shares.place IS 'place of the key on its list, from 1; 1 for a model without a key';
COMMENT ON COLUMN dpobj.model_shares.origin IS 'server and database in which the OID holds, as dpobj_internal.origin() says it';
COMMENT ON COLUMN dpobj.model_shares.role IS 'OID of the role there';
COMMENT ON COLUMN dpobj.model_shares.role_name IS 'name that the role had when the model was shared last';

CREATE OR REPLACE VIEW dpobj.model_readers AS
SELECT DISTINCT s.release, s.place, r.oid AS role, r.rolname AS role_name
  FROM dpobj.model_shares s
  JOIN pg_catalog.pg_roles r
    ON CASE WHEN s.origin = dpobj_internal.origin() THEN r.oid = s.role ELSE r.rolname = s.role_name END;
COMMENT ON VIEW dpobj.model_readers IS 'roles that models are shared with now';
COMMENT ON COLUMN dpobj.model_readers.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.model_readers.place IS 'place of the key on its list, from 1; 1 for a model without a key';
COMMENT ON COLUMN dpobj.model_readers.role IS 'OID of the role';
COMMENT ON COLUMN dpobj.model_readers.role_name IS 'its name';

CREATE OR REPLACE FUNCTION dpobj.share(name text, role regrole, shared boolean DEFAULT true) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_share_model';
COMMENT ON FUNCTION dpobj.share(text, regrole, boolean) IS
  'lets a role, with its members, read and use a named model of one''s own; with false it no longer may';
