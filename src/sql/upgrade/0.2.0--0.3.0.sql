-- dpobj: what version 0.3.0 changed in objects of 0.2.0

-- As in protections.sql, whose table an update keeps.
ALTER TABLE dpobj.protections ADD COLUMN IF NOT EXISTS earlier_rows_per_person integer;
ALTER TABLE dpobj.protections DROP CONSTRAINT IF EXISTS protection_earlier_rows_valid;
ALTER TABLE dpobj.protections ADD CONSTRAINT protection_earlier_rows_valid
    CHECK (earlier_rows_per_person IS NULL OR person IS NOT NULL AND earlier_rows_per_person > 0);
DROP FUNCTION IF EXISTS dpobj.protect(regclass, jsonb, text, text, integer, bigint, boolean);

-- Queued jobs were submitted when the default was no intercept.
UPDATE dpobj.job_rows SET options = '{"intercept": false}' || coalesce(options, '{}')
 WHERE state IN ('queued', 'running') AND jsonb_typeof(coalesce(options, '{}')) = 'object';

-- As in ledger.sql, whose table an update keeps.
ALTER TABLE dpobj.ledger_events
    DROP CONSTRAINT ledger_event_known,
    ADD CONSTRAINT ledger_event_known CHECK (event IN
        ('charged', 'released', 'failed', 'protect', 'unprotect', 'set_budget', 'raise_budget',
         'drop_budget', 'limit_budget', 'confirm_epoch'));

-- charge_counts.sql makes it again, with more columns.
DROP INDEX IF EXISTS dpobj.ledger_events_spending_idx;
