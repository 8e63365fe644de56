-- Parts of a page in HTML: texts, and bars and lines as SVG

/*
 * Every text that is not written in these files goes through this function, inside elements and inside
 * attributes, which all have double quotes.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.html(words text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT replace(replace(replace(replace(replace(dpobj_internal.on_one_line($1),
      '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;')
  $$;
COMMENT ON FUNCTION dpobj_internal.html(text) IS 'internal: a text in HTML';

-- The element keeps the direction of the letters of a name from moving its neighbours.
CREATE OR REPLACE FUNCTION dpobj_internal.html_name(words text, most integer DEFAULT 300) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT '<bdi>' || dpobj_internal.html(CASE WHEN length($1) > $2 THEN left($1, $2) || '...' ELSE $1 END) || '</bdi>'
  $$;
COMMENT ON FUNCTION dpobj_internal.html_name(text, integer) IS 'internal: a name in HTML, cut off after so many characters';

CREATE OR REPLACE FUNCTION dpobj_internal.html_date(at text) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$ SELECT format('<time datetime="%1$s">%1$s</time>', to_char($1::timestamptz, 'YYYY-MM-DD')) $$;
COMMENT ON FUNCTION dpobj_internal.html_date(text) IS 'internal: the day of a time in HTML';

-- A picture of so many units, stretched to the width of its column; words say what it shows.
CREATE OR REPLACE FUNCTION dpobj_internal.svg(class text, width numeric, height numeric, words text, shapes text) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('<svg class="%s" viewBox="0 0 %s %s" preserveAspectRatio="none" %s>%s</svg>', $1, $2, $3,
             coalesce('role="img" aria-label="' || dpobj_internal.html($4) || '"', 'aria-hidden="true"'), $5)
  $$;
COMMENT ON FUNCTION dpobj_internal.svg(text, numeric, numeric, text, text) IS
  'internal: a picture; null words: a text beside it says what it shows';

CREATE OR REPLACE FUNCTION dpobj_internal.svg_rect(class text, x numeric, y numeric, width numeric, height numeric) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>', $1, trim_scale(round($2, 2)), trim_scale(round($3, 2)),
                  trim_scale(round(greatest($4, 0), 2)), trim_scale(round(greatest($5, 0), 2)))
  $$;
COMMENT ON FUNCTION dpobj_internal.svg_rect(text, numeric, numeric, numeric, numeric) IS 'internal: a rectangle of a picture';

CREATE OR REPLACE FUNCTION dpobj_internal.svg_part(part numeric, whole numeric) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.svg('part', 100, 8, NULL, dpobj_internal.svg_rect('rest', 0, 0, 100, 8) || dpobj_internal.svg_rect('mark', 0, 0, s.share, 8))
      FROM (SELECT CASE WHEN $2 > 0 THEN least(coalesce(100 * $1 / $2, 100), 100) ELSE sign(coalesce($1, 1)) * 100 END AS share) s
  $$;
COMMENT ON FUNCTION dpobj_internal.svg_part(numeric, numeric) IS 'internal: a bar of what part of a whole is; null: more than all of it';

-- A number between -largest and largest, as a bar from the middle.
CREATE OR REPLACE FUNCTION dpobj_internal.svg_weight(weight float8, largest float8) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.svg('weight', 100, 8, NULL, dpobj_internal.svg_rect('axis', 49.7, 0, 0.6, 8)
             || dpobj_internal.svg_rect(CASE WHEN s.length < 0 THEN 'minus' ELSE 'mark' END, 50 + least(s.length, 0), 1, abs(s.length), 6))
      FROM (SELECT CASE WHEN $2 > 0 THEN (50 * $1 / $2)::numeric ELSE 0 END AS length) s
  $$;
COMMENT ON FUNCTION dpobj_internal.svg_weight(float8, float8) IS 'internal: a weight as a bar to the left or to the right';

-- On a scale from 0 to 1: the number, and from where to where it may be.
CREATE OR REPLACE FUNCTION dpobj_internal.svg_interval(value float8, low float8, high float8) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.svg('interval', 100, 8, NULL, dpobj_internal.svg_rect('rest', 0, 3, 100, 2)
             || dpobj_internal.svg_rect('span', n.low, 2, greatest(n.high - n.low, 0.6), 4) || dpobj_internal.svg_rect('mark', n.value - 0.5, 0, 1, 8))
      FROM (SELECT 100 * greatest(least($1, 1), 0)::numeric AS value, 100 * greatest(least($2, 1), 0)::numeric AS low,
                   100 * greatest(least($3, 1), 0)::numeric AS high) n
  $$;
COMMENT ON FUNCTION dpobj_internal.svg_interval(float8, float8, float8) IS 'internal: a number with its interval';

-- Bars over periods; the second number, of marked ones, stands in front of the first.
CREATE OR REPLACE FUNCTION dpobj_internal.svg_periods(heights numeric[], marked numeric[], words text) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.svg('periods', cardinality($1), 40, $3,
             string_agg(dpobj_internal.svg_rect('mark', h.place - 0.9, 40 - 40 * h.height / l.largest, 0.8, 40 * h.height / l.largest)
               || CASE WHEN h.marked > 0
                       THEN dpobj_internal.svg_rect('minus', h.place - 0.9, 40 - 40 * h.marked / l.largest, 0.8, 40 * h.marked / l.largest)
                       ELSE '' END, '' ORDER BY h.place))
      FROM unnest($1, $2) WITH ORDINALITY h(height, marked, place),
           (SELECT greatest(max(h), 1) AS largest FROM unnest($1 || $2) h) l
     GROUP BY l.largest
  $$;
COMMENT ON FUNCTION dpobj_internal.svg_periods(numeric[], numeric[], text) IS 'internal: numbers over periods as bars';

-- A sum that grows in steps; xs are parts of the width, ys the sums.
CREATE OR REPLACE FUNCTION dpobj_internal.svg_steps(xs numeric[], ys numeric[], words text) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.svg('steps', 100, 40, $3,
             format('<path class="area" d="M0 40%1$sH100V40Z"/><path class="line" d="M0 40%1$sH100"/>',
                    string_agg(format('H%sV%s', trim_scale(round(100 * s.x, 2)), trim_scale(round(40 - 38 * s.y / l.largest, 2))), '' ORDER BY s.place)))
      FROM unnest($1, $2) WITH ORDINALITY s(x, y, place),
           (SELECT CASE WHEN max(y) > 0 THEN max(y) ELSE 1 END AS largest FROM unnest($2) y) l
     GROUP BY l.largest
  $$;
COMMENT ON FUNCTION dpobj_internal.svg_steps(numeric[], numeric[], text) IS 'internal: a growing sum as a line of steps';
