# random_calls.pl - random calls of all functions that PUBLIC may call, at both doors, with random
# arguments: each answers or is refused with an SQLSTATE that says why, none with XX000, and no
# process crashes. DPOBJ_RANDOM_CALLS=10000 is for more of them, DPOBJ_SEED=7 for others.

use DpobjTest;

my $node = dpobj_cluster('random', 'dpobj.release_tick = 0', 'fsync = off', 'dpobj.longest_run = 2', 'dpobj.max_failures = 1000000');
login_roles($node, 'ana');
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE patient AS SELECT i % 5 AS a, ARRAY[i % 2, i % 3 - 1]::float8[] AS f, (ARRAY['u','v'])[1 + i % 2] AS t, i % 2 = 0 AS y FROM generate_series(1, 100) i;
CREATE VIEW seen AS TABLE patient;
SELECT dpobj.protect('patient', '{"a": {"bins": [2]}, "t": {"levels": ["u", "v"]}, "y": {}}', n => 100), dpobj.set_budget('patient', 'ana', 1e9, 1);
GRANT SELECT ON patient TO ana;
SELECT dpobj.grant_trainer('ana');
SET SESSION AUTHORIZATION ana;
SELECT FROM dpobj.train('patient', 'y', 1, name => 'm');
SELECT FROM dpobj.histogram('patient', 'a', 1, name => 'h');
RESET SESSION AUTHORIZATION;

-- A literal of a type: one of the list, or null.
CREATE FUNCTION public.random_value(type regtype) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  words constant text[] := ARRAY['m', 'h', 'a', 't', 'y', 'f', '', 'patient', 'public.patient', 'basic', 'zcdp', 'rdp', 'replace', 'add_remove', 'count',
    'halfspace', 'logistic', 'auto', 'linear', 'laplace', 'gaussian', '* * * * *', '0 0 1 1 *', '42704', 'x', repeat('x', 300), E'\\', 'ü'];
  json constant text[] := ARRAY['{}', '[]', 'null', '1', '"x"', '{"a": {"<": 3}}', '{"t": "u"}', '{"t": {"in": ["u"]}}', '{"confidence": 0.9}', '{"a": null}', '{"count": 1}',
    '{"a": {"bins": [1, 2]}}', '[{"method": "halfspace", "d": 2, "epsilon": 1}]', '[{"call": "train"}]', '{"mechanism": "laplace"}', '{"seed": -1}', '{"mu": 1}', '{"features": 3}'];
  numbers constant text[] := ARRAY['0', '1', '0.1', '-1', 'NaN', '1e10', '1e-10', 'Infinity', '0.5', '1e300', '2'];
  names constant text[] := ARRAY['patient', 'seen', 'pg_class', 'dpobj.ledger', 'quick'];
  word text := words[1 + floor(random() * cardinality(words))::int];
  value text;
BEGIN
  IF random() < 0.1 THEN RETURN format('NULL::%s', type); END IF;
  value := CASE type::text
    WHEN 'text' THEN word WHEN 'name' THEN word WHEN 'text[]' THEN ARRAY[word, words[1 + floor(random() * 8)::int]]::text
    WHEN 'jsonb' THEN json[1 + floor(random() * cardinality(json))::int] WHEN 'dpobj.json_argument' THEN json[1 + floor(random() * cardinality(json))::int]
    WHEN 'jsonb[]' THEN '{"{}"}'
    WHEN 'numeric' THEN numbers[1 + floor(random() * cardinality(numbers))::int] WHEN 'double precision' THEN numbers[1 + floor(random() * cardinality(numbers))::int]
    WHEN 'numeric[]' THEN '{1,NaN}' WHEN 'double precision[]' THEN (ARRAY['{1,2}', '{}', '{NaN}', '{0.5}', '{1,NULL}', '{{1},{2}}'])[1 + floor(random() * 6)::int]
    WHEN 'integer' THEN (ARRAY['0', '1', '-1', '2', '64', '2147483647'])[1 + floor(random() * 6)::int]
    WHEN 'bigint' THEN (ARRAY['0', '1', '-1', '2', '1000000000', '9223372036854775807'])[1 + floor(random() * 6)::int]
    WHEN 'bigint[]' THEN '{1,-1,9223372036854775807}' WHEN 'boolean' THEN (ARRAY['t', 'f'])[1 + floor(random() * 2)::int]
    WHEN 'regclass' THEN names[1 + floor(random() * cardinality(names))::int] WHEN 'regrole' THEN (ARRAY['ana', 'postgres', '0'])[1 + floor(random() * 3)::int]
    WHEN 'oid' THEN (ARRAY['0', '1259', '4294967295'])[1 + floor(random() * 3)::int] WHEN 'bytea' THEN '\x00ff' WHEN 'interval' THEN '1 day'
    WHEN 'timestamp with time zone' THEN '2024-01-01' ELSE NULL END;
  IF type::text = 'dp_model' THEN RETURN '(SELECT model FROM dpobj.models LIMIT 1)'; END IF;
  IF type::text IN ('record', 'anyelement') THEN RETURN (ARRAY['ROW(1, 2)', '(SELECT p FROM patient p LIMIT 1)', 'ROW()'])[1 + floor(random() * 3)::int]; END IF;
  RETURN CASE WHEN value IS NULL THEN format('NULL::%s', type) ELSE format('%L::%s', value, type) END;
END $$;

-- Calls until the time is over or so many were made; what has answered with XX.
CREATE FUNCTION public.random_calls(times integer, OUT made integer, OUT answered integer, OUT unclear text) LANGUAGE plpgsql AS $$
DECLARE
  routine record;
  call text;
BEGIN
  made := 0; answered := 0;
  WHILE made < times LOOP
    SELECT p.oid, p.proname, p.pronamespace::regnamespace AS space, p.prokind, p.proargtypes::oid[] AS types, p.pronargs - floor(random() * (p.pronargdefaults + 1)) AS given INTO routine
      FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid
     WHERE e.extname = 'dpobj' AND p.prokind IN ('f', 'a') AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
       AND p.proname NOT IN ('wait', 'schedule_begin')
       AND NOT p.proargtypes::oid[] && ARRAY['internal'::regtype, 'cstring'::regtype]::oid[] AND has_function_privilege(p.oid, 'EXECUTE')
     ORDER BY random() LIMIT 1;
    call := format('%I.%I(%s)', routine.space, routine.proname, (SELECT string_agg(public.random_value(t.type::regtype), ', ' ORDER BY t.place)
      FROM unnest(routine.types) WITH ORDINALITY t(type, place) WHERE t.place <= routine.given));
    call := CASE routine.prokind WHEN 'a' THEN format('SELECT %s FROM patient', call) ELSE format('SELECT count(*) FROM (SELECT %s) s', call) END;
    made := made + 1;
    BEGIN
      EXECUTE call;
      answered := answered + 1;
    EXCEPTION WHEN query_canceled OR OTHERS THEN
      IF SQLSTATE ~ '^XX' THEN unclear := concat_ws(E'\n', unclear, call || ': ' || SQLERRM); END IF;
    END;
  END LOOP;
END $$;
SQL

my $calls = $ENV{DPOBJ_RANDOM_CALLS} // 400;
my $seed = $ENV{DPOBJ_SEED} // time;
note("DPOBJ_SEED=$seed");
for my $role (qw(ana postgres))
{
	my ($made, $answered) = (0, 0);
	my $session = session($node, user => $role, seconds => 3600, set => [ sprintf('SET seed = %.9f', ($seed % 100003) / 100003), 'SET client_min_messages = error' ]);
	while ($made < $calls)
	{
		my ($some, $good, $unclear) = split /\|/, $session->ask('SELECT * FROM public.random_calls(50)'), 3;
		is($unclear, '', "$role: no call of 50 ends with XX000 (seed $seed)") or last;
		$made += $some;
		$answered += $good;
	}
	cmp_ok($answered, '>', $made / 100, "$role: some of them answer: $answered of $made");
}

finish($node);
