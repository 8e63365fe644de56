-- In a base backup that is started without recovery.signal, and has forgotten charges.
-- scripts/majors.sh runs this as a superuser with ON_ERROR_STOP; lost: the original's last release.
\set QUIET 1
SET client_min_messages = warning;
SELECT set_config('job.lost', :'lost', false) \g /dev/null

DO $body$
DECLARE
  lost constant bigint := current_setting('job.lost');
BEGIN
  ASSERT (SELECT max(id) < lost FROM dpobj.ledger_events), 'the copy has forgotten nothing, and nothing is tested';
  BEGIN
    PERFORM dp_halfspace(features, readmitted, 0.125, 0) FROM patient;
    ASSERT false, 'the copy released';
  EXCEPTION WHEN object_not_in_prerequisite_state THEN
    NULL;
  END;
  PERFORM dpobj.confirm_epoch();
  ASSERT (SELECT (dp_halfspace(features, readmitted, 0.125, 0)).release > lost FROM patient), 'an id was given again';
END
$body$;
SELECT 'and a copy is told' \g (tuples_only format=unaligned)
