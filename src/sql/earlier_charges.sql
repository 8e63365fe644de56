-- Charges for single rows on tables that were protected by person later

/*
 * A release that costs epsilon for one row costs m times epsilon for m rows of a person (theorem
 * P5; src/core/accounting/pair.c, pair_of_group).  So charges for single rows count on a table that protects
 * persons once an administrator has given m: dpobj.protect(..., earlier_rows_per_person).
 */
COMMENT ON COLUMN dpobj.protections.earlier_rows_per_person IS 'number of rows of a person that a charge for a single row counts for; null: such charges are not allowed';

CREATE OR REPLACE FUNCTION dpobj.protect(relation regclass, encoders jsonb, adjacency text DEFAULT 'replace',
    person text DEFAULT NULL, max_rows_per_person integer DEFAULT NULL, n bigint DEFAULT NULL,
    ignore_rls boolean DEFAULT false, earlier_rows_per_person integer DEFAULT NULL, holdout_by text DEFAULT NULL,
    population regclass DEFAULT NULL) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_protect';
COMMENT ON FUNCTION dpobj.protect(regclass, jsonb, text, text, integer, bigint, boolean, integer, text, regclass) IS
  'declares how the columns of a table become features, and which tables are its neighbours; for administrators';

CREATE OR REPLACE VIEW dpobj.protected AS
SELECT t.relation::regclass AS relation,
       coalesce(dpobj_internal.table_name(t.relation) COLLATE "C", t.relation_name) AS relation_name,
       p.at,
       p.encoders,
       p.adjacency,
       p.person,
       p.max_rows_per_person,
       p.n,
       p.ignore_rls,
       p.earlier_rows_per_person,
       p.holdout_by,
       dpobj_internal.population_of(t.relation)::regclass AS population
  FROM dpobj.protections p
  JOIN dpobj.identity_tables t ON t.id = p.relation;
COMMENT ON VIEW dpobj.protected IS 'tables that analysts can have a budget for, and how their columns become features';
COMMENT ON COLUMN dpobj.protected.relation IS 'the table; null if no table has the recorded OID or name any more';
COMMENT ON COLUMN dpobj.protected.relation_name IS 'schema-qualified, quoted name; of a dropped table the last one';
COMMENT ON COLUMN dpobj.protected.at IS 'when it was declared';
COMMENT ON COLUMN dpobj.protected.encoders IS 'how each column becomes features';
COMMENT ON COLUMN dpobj.protected.adjacency IS 'which tables are neighbours: replace or add_remove';
COMMENT ON COLUMN dpobj.protected.person IS 'column that identifies the person of a row';
COMMENT ON COLUMN dpobj.protected.max_rows_per_person IS 'rows that one person contributes at most';
COMMENT ON COLUMN dpobj.protected.n IS 'declared number of rows';
COMMENT ON COLUMN dpobj.protected.ignore_rls IS 'whether the scan reads rows that row-level security hides';
COMMENT ON COLUMN dpobj.protected.earlier_rows_per_person IS 'number of rows of a person that an earlier charge for a single row counts for';
COMMENT ON COLUMN dpobj.protected.holdout_by IS 'column by whose values rows are dealt between training and rating; null: by the person, or else by all declared columns';
COMMENT ON COLUMN dpobj.protected.population IS 'population whose budgets count what is released from the table; null: none';

CREATE OR REPLACE FUNCTION dpobj_internal.cost_of_rows(adjacency text, pair text, pair_terms jsonb, epsilon_nano bigint,
    delta_units bigint, rows integer) RETURNS dpobj.charge_cost
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_cost_of_rows';
COMMENT ON FUNCTION dpobj_internal.cost_of_rows(text, text, jsonb, bigint, bigint, integer) IS
  'internal: the cost of a release, by its pair in the ledger, for neighbours that differ in a number of rows';

-- Called when an administrator protects persons; reads the ledger, and no table.
CREATE OR REPLACE FUNCTION dpobj_internal.earlier_cost(tables bigint[], unit text, person text, rows integer) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('Say with earlier_rows_per_person how many rows a person had at most. With %s, the charges for single '
                  'rows (%s) count epsilon %s and delta %s instead of %s and %s.', $4, sum(e.times),
                  trim_scale(sum(e.times * dpobj_internal.cost_under(c.many, $2, 'basic', NULL)) * 0.000000001),
                  trim_scale(sum(e.times * dpobj_internal.delta_under(c.many, $2, 'basic')) * 0.000000000000000001),
                  trim_scale(sum(e.times::numeric * e.epsilon_nano) * 0.000000001),
                  trim_scale(sum(e.times::numeric * e.delta_units) * 0.000000000000000001))
      FROM (SELECT adjacency, pair, pair_terms, epsilon_nano, delta_units, count(*) AS times
              FROM dpobj.ledger_events
             WHERE event = 'charged' AND relation_identity = ANY ($1) AND person IS NULL
             GROUP BY 1, 2, 3, 4, 5) e
     CROSS JOIN LATERAL
           (SELECT dpobj_internal.cost_of_rows(e.adjacency, e.pair, e.pair_terms, e.epsilon_nano, e.delta_units, $4) AS many) c
    HAVING NOT EXISTS (SELECT FROM dpobj.ledger_events o
                        WHERE o.event = 'charged' AND o.relation_identity = ANY ($1)
                          AND (o.person <> $3 OR o.adjacency <> $2 AND o.adjacency <> 'add_remove'))
       AND count(*) > 0
  $$;
COMMENT ON FUNCTION dpobj_internal.earlier_cost(bigint[], text, text, integer) IS
  'internal: the cost of charges for single rows under protection by person, in words; null: none follows from them';
