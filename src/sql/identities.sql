-- Epoch and identities

CREATE OR REPLACE FUNCTION dpobj_internal.origin() RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_origin';
COMMENT ON FUNCTION dpobj_internal.origin() IS
  'where OIDs hold: system identifier and OID of the database';

CREATE OR REPLACE FUNCTION dpobj_internal.epoch() RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_epoch';

/*
 * An identity stands for the same table or role for ever, which neither an OID nor a name does.  It
 * is found by its OID, so that spending survives a rename, or by its name if that OID is gone or
 * comes from another server, so that spending survives a restore and DROP with CREATE.  Only the
 * charge worker writes identities.
 */
CREATE TABLE dpobj.identities
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    origin text NOT NULL,
    object oid NOT NULL,
    name text NOT NULL,
    holdout_key uuid NOT NULL DEFAULT pg_catalog.gen_random_uuid(),
    CONSTRAINT identity_kind_known CHECK (kind IN ('table', 'role')),
    CONSTRAINT identity_key UNIQUE (kind, origin, object)
);
CREATE INDEX identities_name_idx ON dpobj.identities (kind, name);
COMMENT ON TABLE dpobj.identities IS 'tables and roles that the ledger knows, through renames and restores';
COMMENT ON SEQUENCE dpobj.identities_id_seq IS 'numbers of identities';
COMMENT ON INDEX dpobj.identities_name_idx IS 'finds an identity by name when its OID holds no more';
COMMENT ON COLUMN dpobj.identities.id IS 'number that budgets and ledger refer to';
COMMENT ON COLUMN dpobj.identities.kind IS 'table or role';
COMMENT ON COLUMN dpobj.identities.origin IS 'server and database in which the OID holds, as dpobj_internal.origin() says it';
COMMENT ON COLUMN dpobj.identities.object IS 'OID of the table or role there';
COMMENT ON COLUMN dpobj.identities.name IS 'name when a charge or a budget last touched it; of a table qualified and quoted';
COMMENT ON COLUMN dpobj.identities.holdout_key IS 'secret key by which the rows of a table are dealt between training and rating; roles do not use theirs';

/*
 * What a partition has spent counts for the table that it was attached to, and the other way
 * round, also after DETACH.
 */
CREATE TABLE dpobj.lineage
(
    ancestor bigint NOT NULL,
    descendant bigint NOT NULL,
    PRIMARY KEY (ancestor, descendant)
);
CREATE INDEX lineage_descendant_idx ON dpobj.lineage (descendant);
COMMENT ON TABLE dpobj.lineage IS 'tables that once were parts of another table, when either was charged, protected or given a budget';
COMMENT ON INDEX dpobj.lineage_descendant_idx IS 'finds the ancestors of a table';
COMMENT ON COLUMN dpobj.lineage.ancestor IS 'identity of the other table';
COMMENT ON COLUMN dpobj.lineage.descendant IS 'identity of a table that was a partition or child of it then, directly or not';

CREATE OR REPLACE FUNCTION dpobj_internal.refuse_change() RETURNS trigger
    AS 'MODULE_PATHNAME', 'dpobj_refuse_change' LANGUAGE C;
COMMENT ON FUNCTION dpobj_internal.refuse_change() IS
  'trigger: refuses changes by hand for everybody but superusers; its argument is the hint';
