-- dpobj.report_html: the report of a table with its models, as one page for auditors

/*
 * All of it runs as the owner of dpobj's tables; dpobj.report_html checks who may call it, as dpobj.report
 * does (src/server/ledger/recompute.c).  The page has no script and asks for nothing elsewhere, which its policy forbids, too.  What it shows is
 * limited, so that it stays small: 40 budgets, 100 kinds of releases, 40 events, and what
 * dpobj_internal.model_contents says of models.
 */

-- ---- the sentence ----

CREATE OR REPLACE FUNCTION dpobj_internal.report_promise(report jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT CASE
        WHEN ($1 #>> '{releases,charged}')::bigint = 0 THEN 'Nothing has been released from this table.'
        WHEN $1 ->> 'neighbours' IS NULL THEN 'The releases of this table are about neighbours of several kinds, so that they have no total.'
        WHEN b.budget IS NOT NULL THEN
          format('All %s releases together, and all that the budget still allows, are differentially private with epsilon %s and delta %s '
                 'for tables where %s, whatever the analysts asked after which answer%s.',
            $1 #>> '{releases,charged}', b.budget ->> 'epsilon_limit', b.budget ->> 'delta_limit', $1 ->> 'neighbours',
            CASE WHEN (b.budget ->> 'releases_before')::bigint > 0
                 THEN ', if the decision about the budget, after ' || (b.budget ->> 'releases_before') || ' of them, did not depend on the answers'
                 ELSE '' END)
        WHEN c.guarantee IS NOT NULL THEN
          format('All %s releases together are differentially private with epsilon %s and delta %s for tables where %s, if all of them were '
                 'fixed before the first answer: no budget over all roles is known to bound them.',
            $1 #>> '{releases,charged}', c.guarantee ->> 'epsilon', c.guarantee ->> 'delta', $1 ->> 'neighbours')
        ELSE 'No accountant knows a total of these releases.' END
      || coalesce(' ' || w.weaker || CASE w.weaker WHEN 1 THEN ' of them has' ELSE ' of them have' END || ' a guarantee that is not exact.', '')
      FROM (SELECT (SELECT v.b FROM jsonb_array_elements($1 -> 'budgets') v(b)
                     WHERE v.b ->> 'relation_name' = $1 ->> 'relation' AND (v.b -> 'all_roles')::boolean AND (v.b -> 'within')::boolean
                       AND coalesce((v.b ->> 'sums_equal')::boolean, true)
                     ORDER BY (v.b ->> 'releases_before')::bigint > 0, (v.b ->> 'epsilon_limit')::numeric LIMIT 1) AS budget) b,
           (SELECT (SELECT v.c FROM jsonb_each($1 -> 'composed') v(name, c) WHERE v.c ->> 'epsilon' IS NOT NULL
                     ORDER BY (v.c ->> 'epsilon')::numeric LIMIT 1) AS guarantee) c,
           (SELECT nullif(coalesce(sum(v.n::bigint), 0), 0) AS weaker FROM jsonb_each_text($1 -> 'labels') v(label, n) WHERE v.label <> 'exact') w
  $$;
COMMENT ON FUNCTION dpobj_internal.report_promise(jsonb) IS
  'internal: what all releases of a report guarantee together, in one sentence';

-- ---- sections ----

CREATE OR REPLACE FUNCTION dpobj_internal.page_section(id text, head text, body text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format(E'<section aria-labelledby="%1$s">\n<h2 id="%1$s">%2$s</h2>\n%3$s</section>\n', $1, $2, $3)
  $$;
COMMENT ON FUNCTION dpobj_internal.page_section(text, text, text) IS 'internal: a section of the page';

-- Heads of columns of numbers begin with #.  On a narrow screen each cell shows its head (page_style).
CREATE OR REPLACE FUNCTION dpobj_internal.page_row(heads text[], VARIADIC cells text[]) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT '<tr>' || string_agg(format(CASE c.place WHEN 1 THEN '<th scope="row">%3$s</th>' ELSE '<td%1$s data-head="%2$s">%3$s</td>' END,
                       CASE WHEN c.head ~ '^#' THEN ' class="number"' END, ltrim(c.head, '#'), c.cell), '' ORDER BY c.place) || E'</tr>\n'
      FROM unnest($1, $2) WITH ORDINALITY c(head, cell, place)
  $$;
COMMENT ON FUNCTION dpobj_internal.page_row(text[], text[]) IS 'internal: a row of a table of the page; its cells are HTML';

CREATE OR REPLACE FUNCTION dpobj_internal.page_table(heads text[], rows text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT '<table class="stack"><thead><tr>'
           || string_agg(format('<th scope="col"%s>%s</th>', CASE WHEN c.head ~ '^#' THEN ' class="number"' END, ltrim(c.head, '#')), '' ORDER BY c.place)
           || E'</tr></thead>\n<tbody>\n' || $2 || E'</tbody></table>\n'
      FROM unnest($1) WITH ORDINALITY c(head, place)
  $$;
COMMENT ON FUNCTION dpobj_internal.page_table(text[], text) IS 'internal: a table of the page; null: no rows';

CREATE OR REPLACE FUNCTION dpobj_internal.page_budget(budget jsonb, steps jsonb, timeline jsonb) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat(
      '<article class="budget">' || E'\n<h3>',
      CASE WHEN ($1 -> 'of_owner')::boolean THEN 'The owner''s limit' WHEN ($1 -> 'all_roles')::boolean THEN 'All roles together'
           ELSE 'Role ' || dpobj_internal.html_name($1 ->> 'role') END,
      E'</h3>\n<p class="figures">',
      format('<span>epsilon <b>%s</b> spent</span> <span><b>%s</b> left of %s</span>', coalesce(trim_scale(round(n.spent, 6))::text, 'beyond all bounds'),
             trim_scale(round(greatest(n.most - coalesce(n.spent, n.most), 0), 6)), trim_scale(n.most)),
      E'</p>\n' || dpobj_internal.svg_part(n.spent, n.most),
      format(E'\n<p class="note">On %s: %s; <span%s>%s</span>. <span%s>%s</span></p>\n', dpobj_internal.html_name($1 ->> 'relation_name'),
             dpobj_internal.html(w.words[1]),
             CASE WHEN NOT ($1 ->> 'sums_equal')::boolean THEN ' class="state"' END, dpobj_internal.html(w.words[2]),
             CASE WHEN NOT ($1 ->> 'within')::boolean THEN ' class="state"' END, dpobj_internal.html(w.words[3])),
      (SELECT '<figure>' || dpobj_internal.svg_steps(array_agg(x.x ORDER BY x.x), array_agg(x.y ORDER BY x.x),
                              format('the sum of charged epsilon grows to %s', max(x.y)))
              || format(E'<figcaption>sum of charged epsilon by %s: %s from %s to %s</figcaption></figure>\n',
                        $3 ->> 'unit', max(x.y), dpobj_internal.html_date($3 ->> 'first'), dpobj_internal.html_date($3 ->> 'last'))
         FROM (SELECT (t.place - 1)::numeric / jsonb_array_length($3 -> 'periods') AS x, sum((v.step ->> 'epsilon')::numeric) OVER (ORDER BY t.place) AS y
                 FROM jsonb_array_elements($3 -> 'periods') WITH ORDINALITY t(period, place)
                 JOIN jsonb_array_elements($2) v(step) ON v.step -> 'begins' = t.period -> 'begins') x
       HAVING count(*) > 0),
      E'</article>\n')
      FROM (SELECT ($1 ->> 'epsilon_spent')::numeric AS spent, ($1 ->> 'epsilon_limit')::numeric AS most) n,
           (SELECT dpobj_internal.report_budget($1) AS words) w
  $$;
COMMENT ON FUNCTION dpobj_internal.page_budget(jsonb, jsonb, jsonb) IS
  'internal: a budget of the page: what is spent and left, and the sum of charged epsilon over time';

CREATE OR REPLACE FUNCTION dpobj_internal.page_budgets(report jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.page_section('budgets', 'Budgets', coalesce(
      E'<p>Spent is what the budget''s own accountant composes. The lines add up the charged epsilon of each release, as basic does.</p>\n'
        '<div class="budgets">\n'
      || string_agg(dpobj_internal.page_budget(v.budget, s.steps, $1 -> 'timeline'), '' ORDER BY v.place) FILTER (WHERE v.place <= 40)
      || E'</div>\n'
      || coalesce('<p>' || nullif(greatest(count(*) - 40, 0), 0) || E' more budgets are in dpobj.budgets.</p>\n', ''),
      E'<p>There is none. The totals below are for releases that were fixed before the first answer.</p>\n'))
      FROM jsonb_array_elements($1 -> 'budgets') WITH ORDINALITY v(budget, place)
      LEFT JOIN LATERAL
           (SELECT x.one -> 'steps' AS steps FROM jsonb_array_elements($1 -> 'spending') x(one)
             WHERE (x.one -> 'relation_name', x.one -> 'of_owner', x.one -> 'role')
                   = (v.budget -> 'relation_name', v.budget -> 'of_owner', v.budget -> 'role')) s ON true
  $$;
COMMENT ON FUNCTION dpobj_internal.page_budgets(jsonb) IS 'internal: the budgets of the page';

CREATE OR REPLACE FUNCTION dpobj_internal.page_timeline(timeline jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat(
      '<figure>' || dpobj_internal.svg_periods(array_agg(p.charged ORDER BY p.begins), array_agg(p.failed ORDER BY p.begins),
                      format('releases by %s, %s at most', $1 ->> 'unit', max(p.charged))),
      format('<figcaption>releases by %s, %s at most, from %s to %s%s</figcaption>', $1 ->> 'unit', max(p.charged), dpobj_internal.html_date($1 ->> 'first'),
             dpobj_internal.html_date($1 ->> 'last'), CASE WHEN max(p.failed) > 0 THEN '; those that failed are marked' ELSE '' END),
      E'</figure>\n<details><summary>The same as a table</summary>\n',
      dpobj_internal.page_table(h.heads, string_agg(dpobj_internal.page_row(h.heads, dpobj_internal.html_date(p.begins), p.charged::text, p.failed::text,
                                                                            p.epsilon::text), '' ORDER BY p.begins)),
      E'</details>\n')
      FROM jsonb_to_recordset($1 -> 'periods') p(begins text, charged numeric, failed numeric, epsilon numeric),
           (SELECT ARRAY[($1 ->> 'unit') || ' of', '#charged', '#failed', '#charged epsilon'] AS heads) h
     GROUP BY h.heads
  $$;
COMMENT ON FUNCTION dpobj_internal.page_timeline(jsonb) IS 'internal: the releases of the page over time';

CREATE OR REPLACE FUNCTION dpobj_internal.page_releases(report jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.page_section('releases', 'Releases', concat(
      (SELECT format(E'<p><b>%s</b> charged, %s released, %s failed, %s without an end.%s</p>\n', n.charged, n.released, n.failed, n.open,
                     CASE WHEN n.failed + n.open > 0 THEN ' All count: a charge is never given back.' ELSE '' END)
         FROM jsonb_to_record($1 -> 'releases') n(charged bigint, released bigint, failed bigint, open bigint)),
      dpobj_internal.page_timeline(nullif($1 -> 'timeline', 'null')),
      dpobj_internal.page_table(h.heads, string_agg(dpobj_internal.page_row(h.heads, dpobj_internal.html_name(k.role), dpobj_internal.html(k.mechanism),
          k.guarantee, k.charged::text, (k.failed + k.open)::text, k.epsilon::text, k.delta::text), '' ORDER BY k.place) FILTER (WHERE k.place <= 100)),
      '<p>' || nullif(greatest(count(k.place) - 100, 0), 0) || E' more kinds are in dpobj.report.</p>\n'))
      FROM ROWS FROM (jsonb_to_recordset($1 -> 'kinds') AS (role text, mechanism text, guarantee text, charged bigint, failed bigint, open bigint,
                        epsilon numeric, delta numeric)) WITH ORDINALITY k(role, mechanism, guarantee, charged, failed, open, epsilon, delta, place)
     RIGHT JOIN (SELECT '{role,mechanism,guarantee,#charged,#failed or open,#sum of epsilon,#of delta}'::text[] AS heads) h ON true
     GROUP BY h.heads
  $$;
COMMENT ON FUNCTION dpobj_internal.page_releases(jsonb) IS 'internal: the releases of the page';

CREATE OR REPLACE FUNCTION dpobj_internal.page_totals(report jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.page_section('totals', 'What the releases guarantee together',
      format('<p>%s</p>' || E'\n', dpobj_internal.html(dpobj_internal.report_neighbours($1)))
      || CASE WHEN jsonb_array_length($1 -> 'tables') > 1
              THEN (SELECT format(E'<p>Releases from these tables count: %s.</p>\n',
                             string_agg(dpobj_internal.html_name(t), ', ') || CASE WHEN jsonb_array_length($1 -> 'tables') > 100 THEN ', ...' ELSE '' END)
                      FROM (SELECT t FROM jsonb_array_elements_text($1 -> 'tables') t LIMIT 100) v) ELSE '' END
      || dpobj_internal.page_table(h.heads, string_agg(dpobj_internal.page_row(h.heads, a.name, coalesce(c ->> 'epsilon', 'none'), c ->> 'delta',
                                                                               dpobj_internal.html(c ->> 'assumes')), '' ORDER BY a.place)))
      FROM unnest('{basic,zcdp,rdp,pld}'::text[]) WITH ORDINALITY a(name, place),
           LATERAL (SELECT $1 -> 'composed' -> a.name AS c) v,
           (SELECT '{accountant,#epsilon,#at delta,what it rests on}'::text[] AS heads) h
     GROUP BY h.heads
  $$;
COMMENT ON FUNCTION dpobj_internal.page_totals(jsonb) IS 'internal: the composed guarantees of the page';

-- ---- models ----

CREATE OR REPLACE FUNCTION dpobj_internal.page_ratings(facts jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce(E'<h4>How good it is</h4>\n<ul class="ratings">\n'
             || string_agg(format(E'<li>%s%s%s</li>\n', dpobj_internal.html(dpobj_internal.rating_words(r)),
                  CASE WHEN r ->> 'sample_low' IS NOT NULL
                       THEN '; as a sample of more, ' || dpobj_internal.rating_interval((r ->> 'sample_low')::float8, (r ->> 'sample_high')::float8) END,
                  dpobj_internal.svg_interval((r ->> 'value')::float8, (r ->> 'low')::float8, (r ->> 'high')::float8)), '' ORDER BY place)
             || E'</ul>\n', E'<p class="note">No rating of it is kept.</p>\n')
      FROM jsonb_array_elements($1 -> 'ratings') WITH ORDINALITY v(r, place)
  $$;
COMMENT ON FUNCTION dpobj_internal.page_ratings(jsonb) IS 'internal: the ratings of a model of the page';

CREATE OR REPLACE FUNCTION dpobj_internal.page_points(facts jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat(
      E'<h4>What it learned</h4>\n<table class="points"><thead><tr><th scope="col">level</th><th scope="col" class="number">adds</th>'
        '<th scope="col"><span class="unseen">as a bar</span></th></tr></thead>\n<tbody>\n',
      string_agg(format(E'<tr><th scope="row">%s%s <span class="level">%s</span></th><td class="number">%s</td><td class="bar">%s</td></tr>\n',
        dpobj_internal.html_name(p.class, 80) || ': ', dpobj_internal.html_name(p.feature, 80), dpobj_internal.html_name(p.level, 80),
        p.shown, dpobj_internal.svg_weight(p.weight, p.largest)), '' ORDER BY p.place),
      E'</tbody></table>\n',
      '<p class="note">' || nullif(jsonb_array_length($1 -> 'points') - count(*), 0) || E' more are nearer to 0.</p>\n')
      FROM (SELECT l.*, max(abs(l.weight)) OVER () AS largest FROM dpobj_internal.largest_points($1, 30) l) p
  $$;
COMMENT ON FUNCTION dpobj_internal.page_points(jsonb) IS 'internal: what a model of the page has learned';

CREATE OR REPLACE FUNCTION dpobj_internal.page_card(facts jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat(
      E'<article class="card">\n<h3>', coalesce(dpobj_internal.html_name($1 ->> 'name'), 'A model without a name'),
      CASE WHEN $1 ->> 'retired' IS NOT NULL THEN ' <span class="state">retired ' || dpobj_internal.html_date($1 ->> 'retired') || '</span>' END,
      E'</h3>\n<dl>\n',
      format(E'<dt>owner</dt><dd>%s</dd>\n', dpobj_internal.html_name($1 ->> 'owner')),
      format(E'<dt>predicts</dt><dd>%s</dd>\n', dpobj_internal.html_name($1 ->> 'predicts', 600)),
      format(E'<dt>from</dt><dd>%s</dd>\n', dpobj_internal.html_name($1 ->> 'from', 600)),
      format(E'<dt>for</dt><dd>%s</dd>\n', dpobj_internal.html($1 ->> 'for')),
      format(E'<dt>neighbours</dt><dd>%s</dd>\n', dpobj_internal.html($1 ->> 'neighbours')),
      '<dt>comment</dt><dd>' || dpobj_internal.html_name($1 ->> 'comment', 4096) || E'</dd>\n',
      format(E'<dt>release</dt><dd>%s</dd>\n', $1 ->> 'release'),
      format(E'<dt>SHA-256</dt><dd><code>%s</code>, which the ledger %s</dd>\n</dl>\n', $1 ->> 'hash',
             CASE WHEN ($1 ->> 'verified')::boolean THEN 'has' ELSE 'DOES NOT HAVE' END),
      dpobj_internal.page_points($1), dpobj_internal.page_ratings($1),
      E'</article>\n')
  $$;
COMMENT ON FUNCTION dpobj_internal.page_card(jsonb) IS 'internal: a model of the page, from dpobj_internal.model_facts';

CREATE OR REPLACE FUNCTION dpobj_internal.page_models(report jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.page_section('models', 'Models', concat(
      CASE WHEN ($1 ->> 'models')::bigint = 0 THEN E'<p>None is kept.</p>\n' END,
      (SELECT E'<div class="cards">\n' || string_agg(dpobj_internal.page_card(f), '' ORDER BY place) || E'</div>\n'
         FROM jsonb_array_elements($1 -> 'cards') WITH ORDINALITY v(f, place)),
      E'<h3>Others</h3>\n' || dpobj_internal.page_table(h.heads, string_agg(dpobj_internal.page_row(h.heads,
          coalesce(dpobj_internal.html_name(m.name, 80), 'no name'), dpobj_internal.html_name(m.owner, 80), dpobj_internal.html(m.kind),
          dpobj_internal.html_name(m.label, 80), m.epsilon::text, dpobj_internal.html_date(m.created),
          CASE WHEN m.deleted IS NOT NULL THEN 'deleted ' || dpobj_internal.html_date(m.deleted)
               WHEN m.retired IS NOT NULL THEN 'retired ' || dpobj_internal.html_date(m.retired) ELSE 'in use' END, m.release::text), '' ORDER BY m.place)
        FILTER (WHERE m.place IS NOT NULL)),
      '<p>' || nullif(($1 ->> 'models')::bigint - jsonb_array_length($1 -> 'cards') - count(m.place), 0) || E' more models are not shown.</p>\n'))
      FROM ROWS FROM (jsonb_to_recordset($1 -> 'listed') AS (name text, owner text, kind text, label text, epsilon numeric, created text, retired text,
                        deleted text, release bigint)) WITH ORDINALITY m(name, owner, kind, label, epsilon, created, retired, deleted, release, place)
     RIGHT JOIN (SELECT '{name,owner,kind,predicts,#epsilon,made,now,#release}'::text[] AS heads) h ON true
     GROUP BY h.heads
  $$;
COMMENT ON FUNCTION dpobj_internal.page_models(jsonb) IS 'internal: the models of the page';

-- ---- the rest ----

CREATE OR REPLACE FUNCTION dpobj_internal.page_list(lines text[]) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT E'<ul>\n' || string_agg(format(E'<li>%s</li>\n', dpobj_internal.html(v.line)), '' ORDER BY v.place) || E'</ul>\n'
      FROM unnest($1) WITH ORDINALITY v(line, place)
  $$;
COMMENT ON FUNCTION dpobj_internal.page_list(text[]) IS 'internal: a list of the page';

CREATE OR REPLACE FUNCTION dpobj_internal.page_events(report jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.page_section('administration', 'Administration',
      coalesce('<p>The last 40 of ' || CASE WHEN count(*) > 40 THEN count(*) END || E' events; dpobj.report has all.</p>\n', '')
      || coalesce(dpobj_internal.page_list(array_agg(dpobj_internal.report_event(v.event) ORDER BY v.place) FILTER (WHERE v.place <= 40)),
                  E'<p>None.</p>\n'))
      FROM (SELECT e.event, row_number() OVER (ORDER BY e.place DESC) AS place
              FROM jsonb_array_elements($1 -> 'events') WITH ORDINALITY e(event, place)) v
  $$;
COMMENT ON FUNCTION dpobj_internal.page_events(jsonb) IS 'internal: what administrators did, for the page';

CREATE OR REPLACE FUNCTION dpobj_internal.page_not_covered() RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.page_section('not-covered', 'What is not covered', dpobj_internal.page_list(ARRAY[
      'What is true of many. A model may teach something about people of a kind; the guarantee is about what the row or the rows of one '
        'person add to it.',
      'Other tables about the same people. Each has budgets of its own, a person''s losses add up, and this page counts only the tables '
        'that it names.',
      'Copies. A copy of the table has another budget, or none; a copy of the server can spend the rest of a budget again.',
      'Those who may read the rows: owners, superusers, and users of the operating system who reach the files need no release.',
      'Declarations. Bins, levels, bounds and a declared number of rows count as public; taken from the table, they reveal rows.',
      'Failures. A failed release has no noise, and may depend on the rows; a table refuses a role after a few of them.',
      'Time and load. An answer comes at a tick after its charge, but which tick, and what other users of the machine measure, may depend '
        'on the rows.',
      'The size of the table, which PostgreSQL shows.']))
  $$;
COMMENT ON FUNCTION dpobj_internal.page_not_covered() IS 'internal: what no guarantee of the page covers, of which docs/security.md has the whole list';

CREATE OR REPLACE FUNCTION dpobj_internal.page_style() RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT '
:root{color-scheme:light dark;--paper:#fff;--ink:#1b1e21;--soft:#50575e;--line:#d3d8dd;--panel:#f6f7f8;--mark:#2b648f;--rest:#d5dee5;--minus:#a34a16;--state:#7a3b00}
@media (prefers-color-scheme:dark){:root{--paper:#15181b;--ink:#e6e9eb;--soft:#a8b0b7;--line:#3a4148;--panel:#1d2125;--mark:#79b0da;--rest:#36434d;--minus:#e39a6c;--state:#f0b27f}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:64rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.2rem;margin:2.5rem 0 .75rem;padding-bottom:.25rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:0 0 .5rem}
h4{font-size:.875rem;margin:1rem 0 .25rem}
p{margin:.5rem 0}
.when,.note,figcaption,dt,.level,summary{color:var(--soft);font-size:.875rem}
.promise{font-size:1.125rem;border-left:.25rem solid var(--mark);padding-left:1rem;margin:1.25rem 0}
.budgets{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(26rem,100%),1fr));gap:1rem}
.cards{columns:26rem;column-gap:1rem}
.budget,.card{background:var(--panel);border:1px solid var(--line);border-radius:.375rem;padding:1rem;min-width:0;break-inside:avoid}
.card{margin-bottom:1rem}
.figures{display:flex;flex-wrap:wrap;justify-content:space-between;column-gap:1rem}
.state{color:var(--state)}h3 .state{font-size:.875rem;font-weight:400}
svg{display:block;width:100%}
.part{height:.75rem}.weight{height:.75rem}.interval{height:.6rem;max-width:24rem;margin:.25rem 0}.periods{height:6rem}.steps{height:3.5rem}
.mark{fill:var(--mark)}.rest{fill:var(--rest)}.minus{fill:var(--minus)}.axis{fill:var(--soft)}.span{fill:var(--mark);opacity:.5}
.area{fill:var(--mark);opacity:.15}.line{fill:none;stroke:var(--mark);stroke-width:2;vector-effect:non-scaling-stroke}
figure{margin:.75rem 0}
time{white-space:nowrap}
.periods,.steps{border-bottom:1px solid var(--soft)}
table{border-collapse:collapse;width:100%;margin:.5rem 0;font-size:.875rem}
th,td{text-align:left;vertical-align:top;padding:.25rem .5rem;border-bottom:1px solid var(--line);font-weight:400}
thead th{color:var(--soft);vertical-align:bottom;overflow-wrap:normal}
tbody th{min-width:5rem}
.number{text-align:right;font-variant-numeric:tabular-nums;overflow-wrap:normal}
td.bar{width:35%;vertical-align:middle}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.25rem .75rem;margin:0}
dd{margin:0;font-size:.875rem}
code{font:.8125rem/1.4 ui-monospace,monospace;word-break:break-all}
ul{padding-left:1.25rem;margin:.5rem 0}li{margin:.25rem 0}
.ratings{list-style:none;padding:0;font-size:.875rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@media (max-width:40rem){
.stack thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.stack tr{display:block;border-bottom:1px solid var(--line);padding:.5rem 0}
.stack th,.stack td{display:flex;justify-content:space-between;gap:1rem;border:0;padding:.125rem 0;text-align:right}
.stack th{text-align:left;font-weight:600}
.stack td::before{content:attr(data-head);color:var(--soft);text-align:left;flex:none}
}
@media print{
:root{color-scheme:light;--paper:#fff;--ink:#000;--soft:#444;--line:#bbb;--panel:#fff;--mark:#2b648f;--rest:#d5dee5;--minus:#a34a16;--state:#7a3b00}
body{font-size:10pt}main{max-width:none;padding:0}
h2,h3,h4{break-after:avoid}.card{break-inside:auto}figure,tr,li{break-inside:avoid}details{display:none}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
' $$;
COMMENT ON FUNCTION dpobj_internal.page_style() IS 'internal: the style sheet of the page';

-- ---- the page ----

CREATE OR REPLACE FUNCTION dpobj_internal.page(report jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    SELECT concat(
      E'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n',
      E'<meta http-equiv="Content-Security-Policy" content="default-src ''none''; style-src ''unsafe-inline''"/>\n',
      E'<meta name="viewport" content="width=device-width, initial-scale=1"/>\n',
      format(E'<title>Privacy report of %s</title>\n', dpobj_internal.html($1 ->> 'relation')),
      '<style>' || dpobj_internal.page_style() || E'</style>\n</head>\n<body>\n<main>\n<header>\n',
      format(E'<h1>Privacy report of table %s</h1>\n', dpobj_internal.html_name($1 ->> 'relation')),
      format(E'<p class="when">%s, dpobj %s</p>\n</header>\n', to_char(($1 ->> 'at')::timestamptz, 'YYYY-MM-DD HH24:MI:SS TZ'), $1 ->> 'version'),
      format(E'<p class="promise">%s</p>\n', dpobj_internal.html(dpobj_internal.report_promise($1))),
      dpobj_internal.page_budgets($1), dpobj_internal.page_releases($1), dpobj_internal.page_totals($1), dpobj_internal.page_models($1),
      dpobj_internal.page_events($1),
      dpobj_internal.page_section('rests', 'What it rests on', dpobj_internal.page_list(dpobj_internal.report_assumptions($1))),
      dpobj_internal.page_not_covered(),
      E'</main>\n</body>\n</html>\n')
  $$;
COMMENT ON FUNCTION dpobj_internal.page(jsonb) IS 'internal: a report with its models as HTML';

CREATE OR REPLACE FUNCTION dpobj.report_html(relation regclass, delta numeric DEFAULT NULL) RETURNS text
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_report_html';
COMMENT ON FUNCTION dpobj.report_html(regclass, numeric) IS
  'dpobj.report with the models of the table, as a page for browsers and print that needs nothing else';
