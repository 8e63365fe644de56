-- Budgets

/*
 * One cap per table and role, or per table over all roles (role null), in the units of the ledger,
 * rounded down.  One accountant, fixed when the budget is made (theorem A6), adds up the costs,
 * which stay below cost_limit; the deltas of releases stay below reserve_units.
 *
 * cost_spent, delta_spent and releases_spent are sums over the ledger.  The charge worker adds to
 * them in the transaction that writes the charge, under a lock on this row, so that they equal
 * dpobj.budget_sums.  Everything else that could change the sums sets all three to null, and the
 * next charge sums the ledger again: no change of a budget resets what was spent.
 */
CREATE TABLE dpobj.budget_rows
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    relation bigint NOT NULL,
    role bigint,
    accountant text NOT NULL,
    rdp_order integer,
    epsilon_nano bigint NOT NULL,
    delta_units bigint NOT NULL,
    reserve_units bigint NOT NULL,
    cost_limit bigint NOT NULL,
    max_releases bigint,
    cost_spent numeric,
    delta_spent numeric,
    releases_spent bigint,
    CONSTRAINT budget_accountant_known CHECK (accountant IN ('basic', 'zcdp', 'rdp')),
    CONSTRAINT budget_order_fixed CHECK ((accountant = 'rdp') = (rdp_order IS NOT NULL)),
    CONSTRAINT budget_epsilon_valid CHECK (epsilon_nano >= 0),
    CONSTRAINT budget_delta_valid CHECK (delta_units BETWEEN 0 AND 1000000000000000000),
    CONSTRAINT budget_reserve_valid CHECK (reserve_units BETWEEN 0 AND delta_units),
    CONSTRAINT budget_limit_valid CHECK (cost_limit >= 0),
    CONSTRAINT budget_releases_valid CHECK (max_releases >= 0),
    CONSTRAINT budget_sums_together CHECK ((cost_spent IS NULL) = (delta_spent IS NULL)
        AND (cost_spent IS NULL) = (releases_spent IS NULL))
);
CREATE UNIQUE INDEX budget_rows_key ON dpobj.budget_rows (relation, (coalesce(role, 0)));
COMMENT ON SEQUENCE dpobj.budget_rows_id_seq IS 'numbers of budgets';
COMMENT ON INDEX dpobj.budget_rows_key IS 'one budget per table and role, one per table over all roles';
COMMENT ON COLUMN dpobj.budget_rows.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_rows.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.budget_rows.accountant IS 'what is added up: basic, epsilon; zcdp, rho; rdp, the Renyi divergence of one order';
COMMENT ON COLUMN dpobj.budget_rows.rdp_order IS 'rdp: that order';
COMMENT ON COLUMN dpobj.budget_rows.reserve_units IS 'the part of the cap of delta that is for deltas of releases, in units of 1e-18; the rest is for the conversion';
COMMENT ON COLUMN dpobj.budget_rows.cost_limit IS 'cap of the sum of costs: epsilon in units of 1e-9, rho or divergence in units of 1e-12';
COMMENT ON COLUMN dpobj.budget_rows.cost_spent IS 'sum of costs; null: to be summed over the ledger by the next charge';
COMMENT ON COLUMN dpobj.budget_rows.delta_spent IS 'sum of deltas in units of 1e-18; null likewise';
COMMENT ON COLUMN dpobj.budget_rows.releases_spent IS 'number of charges; null likewise';
COMMENT ON COLUMN dpobj.budget_rows.epsilon_nano IS 'cap of epsilon in units of 1e-9, rounded down';
COMMENT ON COLUMN dpobj.budget_rows.delta_units IS 'cap of delta in units of 1e-18, rounded down';
COMMENT ON COLUMN dpobj.budget_rows.max_releases IS 'cap of the number of charges; null: none';

SELECT pg_catalog.pg_extension_config_dump('dpobj.identities', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.identities_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.lineage', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.budget_rows', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.budget_rows_id_seq', '');

/*
 * Whether two tables have rows in common now: one is an ancestor of the other, or both are parents of a child.
 * A population has the rows of its tables.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.shares_rows(id bigint, other bigint) RETURNS boolean
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH RECURSIVE
      down(object) AS (SELECT i.object FROM dpobj.identities i WHERE i.id = $1 UNION
                       SELECT h.inhrelid FROM pg_inherits h JOIN down d ON h.inhparent = d.object),
      up(object) AS (SELECT object FROM down UNION
                     SELECT h.inhparent FROM pg_inherits h JOIN up u ON h.inhrelid = u.object)
    SELECT EXISTS (SELECT FROM up JOIN dpobj.identities i ON i.object = up.object
                   WHERE i.origin = dpobj_internal.origin()
                     AND (i.id = $2 OR EXISTS (SELECT FROM dpobj.population_tables p WHERE (p.relation, p.population) = (i.id, $2))))
  $$;
COMMENT ON FUNCTION dpobj_internal.shares_rows(bigint, bigint) IS
  'internal: are two tables, by their identities, parents of one table now, or one of the other, or is the other one''s population?';

CREATE OR REPLACE FUNCTION dpobj_internal.cost_text(accountant text, rdp_order integer, spent numeric, asked numeric,
    cap numeric) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('%s: %s spent, %s asked, %s left of %s',
             CASE $1 WHEN 'basic' THEN 'epsilon' WHEN 'zcdp' THEN 'rho'
                     ELSE format('Renyi divergence of order %s', $2) END,
             trim_scale($3 * u.one),
             CASE WHEN $4 < 9223372036854775807 THEN trim_scale($4 * u.one)::text ELSE 'more than can be counted' END,
             trim_scale(greatest($5 - $3, 0) * u.one), trim_scale($5 * u.one))
      FROM (SELECT CASE $1 WHEN 'basic' THEN 0.000000001 ELSE 0.000000000001 END AS one) u
  $$;
COMMENT ON FUNCTION dpobj_internal.cost_text(text, integer, numeric, numeric, numeric) IS
  'internal: a sum of costs and what is left, in words';

CREATE OR REPLACE FUNCTION dpobj.set_budget(relation regclass, role regrole, epsilon numeric, delta numeric DEFAULT 0,
    accountant text DEFAULT 'basic', max_releases bigint DEFAULT NULL,
    rdp_order integer DEFAULT NULL, delta_reserve numeric DEFAULT NULL) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_set_budget';
COMMENT ON FUNCTION dpobj.set_budget(regclass, regrole, numeric, numeric, text, bigint, integer, numeric) IS
  'caps what a role, a group or, with a null role, all roles together may spend on a table; accountant: basic, zcdp or rdp';

CREATE OR REPLACE FUNCTION dpobj.raise_budget(relation regclass, role regrole, epsilon numeric, delta numeric,
    reason text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_raise_budget';
COMMENT ON FUNCTION dpobj.raise_budget(regclass, regrole, numeric, numeric, text) IS
  'adds to the caps of a budget, for a reason that the ledger keeps';

CREATE OR REPLACE FUNCTION dpobj.drop_budget(relation regclass, role regrole) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_drop_budget';
COMMENT ON FUNCTION dpobj.drop_budget(regclass, regrole) IS
  'removes a budget; what was spent stays in the ledger';

CREATE OR REPLACE FUNCTION dpobj.confirm_epoch() RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_confirm_epoch';
COMMENT ON FUNCTION dpobj.confirm_epoch() IS
  'allows releases again after a restore or a promotion';
