-- Comments on the columns of views that end in _seen: those of the views over them

DO $body$
DECLARE
  seen record;
BEGIN
  FOR seen IN
    SELECT c.relname, a.attname, coalesce(col_description(o.oid, a.attnum), col_description('dpobj.evaluations'::regclass, e.attnum), r.what) AS what
      FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
      LEFT JOIN pg_class o ON o.relnamespace = c.relnamespace AND o.relname || '_seen' = c.relname
      -- the ratings, over which there is no view
      LEFT JOIN pg_attribute e ON o.oid IS NULL AND e.attrelid = 'dpobj.evaluations'::regclass AND e.attname = a.attname
      LEFT JOIN (VALUES ('model', 'ledger id of the model'), ('key', 'key of the group that the model is about; null: the whole table'),
                        ('filter', 'filter of the rows; null: none')) r(name, what) ON r.name = a.attname
     WHERE c.relnamespace = 'dpobj'::regnamespace AND c.relkind = 'v' AND c.relname LIKE '%\_seen'
  LOOP
    EXECUTE format('COMMENT ON COLUMN dpobj.%I.%I IS %L', seen.relname, seen.attname, seen.what);
  END LOOP;
END
$body$;
