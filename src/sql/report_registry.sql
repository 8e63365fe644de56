-- A report as answers to the questions of NIST SP 800-226, and as an entry of the registry of deployments

/*
 * The answers follow from the contents of a report and from what dpobj is, so that dpobj.verify_report
 * recomputes them, too.  A table's administrators know more, which the registry asks for; they fill it in.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.report_answers(report jsonb) RETURNS jsonb
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT jsonb_agg(jsonb_build_object('field', a.field, 'question', a.question, 'answer', dpobj_internal.on_one_line(a.answer)) ORDER BY a.place)
      FROM (SELECT $1 -> 'protection' ->> 'person' AS person, dpobj_internal.report_budget_in_force($1) AS budget,
                   $1 -> 'composed' AS composed) r,
           LATERAL (VALUES
             (1, 'privacy_unit', 'Whom or what does the guarantee protect?',
              CASE WHEN $1 ->> 'neighbours' IS NULL THEN 'Releases protect units of several kinds, so that they have no common guarantee.'
                   WHEN $1 ->> 'neighbours' NOT LIKE '%person%' THEN 'One row of the table. Somebody with several rows is protected less: the epsilon of a row counts once for each.'
                   ELSE format('One person: all rows with the same %s, of which a release uses up to %s.', r.person, $1 -> 'protection' ->> 'max_rows_per_person') END),
             (2, 'adjacency', 'Which tables must be hard to tell apart?',
              coalesce(format('Two tables of which one becomes the other if %s.', $1 ->> 'neighbours'), 'There is no common answer.')),
             (3, 'promised', 'Which parameters were promised?',
              coalesce(format('epsilon %s, delta %s', r.budget ->> 'epsilon_limit', r.budget ->> 'delta_limit'),
                       'None: no budget over all roles bounds the table.')),
             (4, 'spent', 'Which parameters are spent?',
              coalesce(format('epsilon %s, delta %s, in %s releases', r.budget ->> 'epsilon_spent', r.budget ->> 'delta_spent', r.budget ->> 'releases'),
                       format('epsilon %s, delta %s as plain sums, in %s releases', coalesce(r.composed -> 'basic' ->> 'epsilon', 'without a bound'),
                              r.composed -> 'basic' ->> 'delta', $1 #>> '{releases,charged}'))),
             (5, 'accountant', 'How are releases added up?',
              coalesce(format('By %s%s, below the caps of the budget', r.budget ->> 'accountant', ' of order ' || (r.budget ->> 'rdp_order')),
                       'By basic composition')
              || ', sequentially: no two releases count as disjoint, and a charge is never given back. A charge is committed before its noise is drawn.'),
             (6, 'trust', 'Whom must the people in the data trust?',
              'The central model: the server has the rows as they are. Its administrators, the owner of the table and the operating system are trusted; analysts are not.'),
             (7, 'access', 'Who may ask, and who may see?',
              format('Roles with a budget may ask, each after the last answer: %s. An answer is shown to the role that paid for it, and to those with whom '
                     'it shares a model; the ledger and this report to superusers and dpobj_auditor.',
                coalesce((SELECT string_agg(DISTINCT (b ->> 'role') COLLATE "C", ', ' ORDER BY (b ->> 'role') COLLATE "C") FROM jsonb_array_elements($1 -> 'budgets') b
                           WHERE b ->> 'role' IS NOT NULL), 'no role now'))),
             (8, 'mechanisms', 'Which mechanisms made the releases?',
              coalesce((SELECT string_agg(format('%s (%s): %s', m.mechanism, m.guarantee, m.charged), ', ' ORDER BY m.mechanism COLLATE "C", m.guarantee COLLATE "C")
                          FROM (SELECT k ->> 'mechanism' AS mechanism, k ->> 'guarantee' AS guarantee, sum((k ->> 'charged')::numeric) AS charged
                                  FROM jsonb_array_elements($1 -> 'kinds') k GROUP BY 1, 2) m) || '.', 'None.')
              || ' Noise labelled exact is drawn from integers by random bits of the operating system, so that no digit of a floating-point number tells of the rows.'),
             (9, 'assumptions', 'On what does the guarantee rest?',
              (SELECT string_agg(line, ' ' ORDER BY place) FROM unnest(dpobj_internal.report_assumptions($1)) WITH ORDINALITY v(line, place))),
             (10, 'unprotected', 'What is not protected?',
              'The size of the table; its columns, and the bins, levels, bounds and number of rows that dpobj.protect declares; who asked what, when; '
              'that a release failed; how long work takes beyond a tick of the clock.'),
             (11, 'post_processing', 'What is done to the answers afterwards?',
              'Rounding, intervals, probabilities, scorecards and predictions are made of released numbers and public parameters alone, and cost nothing.'),
             (12, 'hyperparameter_tuning', 'How are hyperparameters tuned, and is that counted?',
              'Mechanism, epsilon and options are chosen before the charge, from public numbers. What is tuned on the rows is a release of its own, and counts: '
              'a suggestion, each rating of a model, a choice among models.'),
             (13, 'data_dependent_choices', 'What was chosen by looking at the data?',
              format('By dpobj nothing that is not counted%s. Whoever declares bins, levels, bounds or a number of rows, or sets a budget, must not take them from the rows.',
                ', but the number of features in releases labelled conditional: ' || nullif($1 #>> '{labels,conditional}', '0'))),
             (14, 'retention', 'What is kept, and for how long?',
              'The ledger keeps every event and deletes none. A released model or answer is kept until its owner deletes it. dpobj keeps no row of the table.')
           ) a(place, field, question, answer)
  $$;
COMMENT ON FUNCTION dpobj_internal.report_answers(jsonb) IS
  'internal: answers to the questions of NIST SP 800-226, from the contents of a report';

-- The fields are those of schemas/deployments-schema.yaml at github.com/opendp/deployments-registry-data.
CREATE OR REPLACE FUNCTION dpobj_internal.report_entry(report jsonb) RETURNS jsonb
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT jsonb_build_object(
      'url_slug', trim('-' FROM regexp_replace(lower($1 ->> 'relation'), '[^a-z0-9]+', '-', 'g')),
      'status', 'Draft', 'tier', 3,
      'deployment', jsonb_build_object(
        'basic', jsonb_build_object('name', $1 -> 'relation', 'data_curators', jsonb_build_array(w.ask), 'intended_use', w.ask,
          'data_product_type', CASE WHEN w.models THEN 'Machine learning model' ELSE 'Summary statistics' END, 'data_product_region', w.ask,
          'description', w.answer ->> 'mechanisms', 'publication_date', left($1 ->> 'at', 10)),
        'dp_variant', jsonb_build_object('variant_name', CASE WHEN w.delta > 0 THEN 'Approximate DP' ELSE 'Pure DP' END,
          'data_domain', format('All tables with the columns of %s.', $1 ->> 'relation'), 'unprotected_quantities', w.answer -> 'unprotected'),
        'privacy_loss', jsonb_build_object('privacy_unit', w.answer -> 'privacy_unit', 'privacy_unit_details', w.answer -> 'adjacency',
          'privacy_parameters', jsonb_strip_nulls(jsonb_build_object('epsilon', w.epsilon, 'delta', w.delta)),
          'privacy_parameters_details', format('Promised: %s; spent: %s.', trim('.' FROM w.answer ->> 'promised'), w.answer ->> 'spent')),
        'deployment_model', jsonb_build_object('model_name', 'Central', 'actors', w.answer -> 'trust', 'release_type', 'Many releases',
          'data_source_type', 'Dynamic', 'data_source_type_details', 'A release reads the rows that the table has then; all releases count together.',
          'access_type', 'Interactive', 'access_type_details', w.answer -> 'access'),
        'accounting', jsonb_build_object('post_processing', w.answer -> 'post_processing', 'composition', w.answer -> 'accountant'),
        'implementation', jsonb_build_object(
          'preprocessing_and_hyperparameter_tuning', concat_ws(' ', w.answer ->> 'hyperparameter_tuning', w.answer ->> 'data_dependent_choices'),
          'mechanisms', format('dpobj %s for PostgreSQL. %s', $1 ->> 'version', w.answer ->> 'mechanisms'), 'justification', w.answer -> 'assumptions'),
        'administrative', jsonb_build_object('notes', w.answer -> 'retention', 'registry_authors', jsonb_build_array(w.ask))))
      FROM (SELECT '(to be filled in)'::text AS ask, (b.budget ->> 'epsilon_limit')::numeric AS epsilon, (b.budget ->> 'delta_limit')::numeric AS delta,
                   (SELECT jsonb_object_agg(a ->> 'field', a -> 'answer') FROM jsonb_array_elements(dpobj_internal.report_answers($1)) a) AS answer,
                   EXISTS (SELECT FROM jsonb_array_elements($1 -> 'kinds') k
                            WHERE k ->> 'mechanism' <> 'laplace') AS models
              FROM (SELECT coalesce(dpobj_internal.report_budget_in_force($1),
                             jsonb_build_object('epsilon_limit', $1 #> '{composed,basic,epsilon}', 'delta_limit', $1 #> '{composed,basic,delta}')) AS budget) b) w
  $$;
COMMENT ON FUNCTION dpobj_internal.report_entry(jsonb) IS
  'internal: a report as an entry of the registry of deployments of differential privacy';
