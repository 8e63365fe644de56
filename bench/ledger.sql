-- What bench/ledger.sh makes releases of: tables, roles, budgets, and charges of each kind.
SET client_min_messages = warning;
CREATE EXTENSION dpobj;
CREATE ROLE team;
DO $$ BEGIN
  FOR r IN 1 .. 5 LOOP EXECUTE format('CREATE ROLE role_%s LOGIN IN ROLE team', r); END LOOP;
  FOR t IN 1 .. 6 LOOP
    EXECUTE format('CREATE TABLE rows_%s AS SELECT i %% 50 AS person, i %% 2 = 0 AS sex, i %% 3 = 0 AS smokes, i %% 2 = 1 AS label, '
                   'ARRAY[i %% 2, i %% 3 - 1]::float8[] AS features FROM generate_series(1, 60) i', t);
    EXECUTE format('GRANT SELECT ON rows_%s TO team', t);
  END LOOP;
END $$;
SELECT count(dpobj.grant_trainer(format('role_%s', r)::regrole)) FROM generate_series(1, 4) r;
SELECT count(dpobj.protect(format('rows_%s', t)::regclass, '{"sex": {}, "smokes": {}, "label": {}}',
         person => CASE WHEN t > 4 THEN 'person' END, max_rows_per_person => CASE WHEN t > 4 THEN 2 END))
  FROM generate_series(1, 5) t;
SELECT count(dpobj.set_budget(format('rows_%s', t)::regclass, r, 1000000, 0.5, (ARRAY['basic', 'zcdp', 'rdp'])[1 + t % 3]))
  FROM generate_series(1, 6) t, (SELECT format('role_%s', i)::regrole FROM generate_series(1, 4) i UNION ALL SELECT NULL) v(r);
DO $$ BEGIN
  FOR r IN 1 .. 4 LOOP
    EXECUTE format('SET SESSION AUTHORIZATION role_%s', r);
    PERFORM dpobj.train('rows_1', 'label', 0.1, name => 'first');
    FOR e IN 1 .. 5 LOOP
      FOR t IN 1 .. 5 LOOP
        PERFORM dpobj.train(format('rows_%s', t)::regclass, 'label', 0.1 + e * 0.01, name => format('model %s %s', t, e));
        PERFORM dpobj.count(format('rows_%s', t)::regclass, 0.1 + e * 0.001, name => format('count %s %s', t, e));
      END LOOP;
      EXECUTE format('SELECT (dp_halfspace(features, label, %s, 0)).release FROM rows_6', 0.1 + e * 0.01);
      PERFORM dpobj.evaluate('first', 'rows_1', 0.1 + e * 0.01, name => format('rated %s', e));
    END LOOP;
    RESET SESSION AUTHORIZATION;
  END LOOP;
END $$;
