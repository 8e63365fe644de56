-- What stands in objects of the extension and is neither the server's nor the extension's own.
-- Read by tests/pgtap/objects.sql of an installation, and by tests/t/029_upgrade.pl of updates.
WITH RECURSIVE ours(class, object) AS (
  SELECT classid, objid FROM pg_depend
  WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dpobj')
  UNION
  SELECT d.classid, d.objid FROM ours o JOIN pg_depend d ON d.refclassid = o.class AND d.refobjid = o.object
  WHERE d.deptype IN ('a', 'i'))
SELECT pg_describe_object(o.class, o.object, 0) || ': ' || pg_describe_object(d.refclassid, d.refobjid, 0)
FROM ours o JOIN pg_depend d ON d.classid = o.class AND d.objid = o.object
WHERE d.refclassid NOT IN ('pg_namespace'::regclass, 'pg_language'::regclass, 'pg_extension'::regclass)
      AND d.refobjid >= 16384 -- initdb makes what is below
      AND NOT EXISTS (SELECT FROM ours r WHERE r.class = d.refclassid AND r.object = d.refobjid)
