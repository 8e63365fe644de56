--
-- PostgreSQL database dump
--


-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: dpobj; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS dpobj WITH SCHEMA public;


--
-- Name: EXTENSION dpobj; Type: COMMENT; Schema: -; Owner: 
--

COMMENT ON EXTENSION dpobj IS 'train models under exact differential privacy where the data lives';


--
-- Name: postgres_fdw; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS postgres_fdw WITH SCHEMA public;


--
-- Name: EXTENSION postgres_fdw; Type: COMMENT; Schema: -; Owner: 
--

COMMENT ON EXTENSION postgres_fdw IS 'foreign-data wrapper for remote PostgreSQL servers';


--
-- Name: loop; Type: SERVER; Schema: -; Owner: postgres
--

CREATE SERVER loop FOREIGN DATA WRAPPER postgres_fdw OPTIONS (
    dbname 'part_030',
    host 'elsewhere.example',
    port '5432'
);


ALTER SERVER loop OWNER TO postgres;

--
-- Name: USER MAPPING postgres SERVER loop; Type: USER MAPPING; Schema: -; Owner: postgres
--

CREATE USER MAPPING FOR postgres SERVER loop OPTIONS (
    password_required 'false',
    "user" 'dealer'
);


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: clinic; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.clinic (
    who integer,
    x double precision,
    y boolean
);


ALTER TABLE public.clinic OWNER TO postgres;

--
-- Name: deal; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.deal (
    id integer,
    y boolean
)
PARTITION BY RANGE (id);


ALTER TABLE public.deal OWNER TO postgres;

--
-- Name: deal_far; Type: FOREIGN TABLE; Schema: public; Owner: postgres
--

CREATE FOREIGN TABLE public.deal_far (
    id integer,
    y boolean
)
SERVER loop
OPTIONS (
    table_name 'deal_far'
);


ALTER FOREIGN TABLE public.deal_far OWNER TO postgres;

--
-- Name: deal_here; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.deal_here (
    id integer,
    y boolean
);


ALTER TABLE public.deal_here OWNER TO postgres;

--
-- Name: kept; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.kept (
    model public.dp_model
);


ALTER TABLE public.kept OWNER TO postgres;

--
-- Name: lent; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.lent (
    id integer,
    y boolean
);


ALTER TABLE public.lent OWNER TO postgres;

--
-- Name: quick; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.quick (
    features double precision[],
    label boolean
);


ALTER TABLE public.quick OWNER TO postgres;

--
-- Name: visit; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.visit (
    id integer,
    sex text,
    smokes boolean,
    ill boolean
)
PARTITION BY RANGE (id);


ALTER TABLE public.visit OWNER TO postgres;

--
-- Name: visit_early; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.visit_early (
    id integer,
    sex text,
    smokes boolean,
    ill boolean
);


ALTER TABLE public.visit_early OWNER TO postgres;

--
-- Name: visit_late; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.visit_late (
    id integer,
    sex text,
    smokes boolean,
    ill boolean
);


ALTER TABLE public.visit_late OWNER TO postgres;

--
-- Name: deal_far; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.deal ATTACH PARTITION public.deal_far FOR VALUES FROM (51) TO (1000);


--
-- Name: deal_here; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.deal ATTACH PARTITION public.deal_here FOR VALUES FROM (0) TO (51);


--
-- Name: visit_early; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.visit ATTACH PARTITION public.visit_early FOR VALUES FROM (0) TO (30);


--
-- Name: visit_late; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.visit ATTACH PARTITION public.visit_late FOR VALUES FROM (30) TO (1000);


--
-- Data for Name: budget_rows; Type: TABLE DATA; Schema: dpobj; Owner: postgres
--

COPY dpobj.budget_rows (id, relation, role, accountant, rdp_order, epsilon_nano, delta_units, reserve_units, cost_limit, max_releases, cost_spent, delta_spent, releases_spent) FROM stdin;
4	6	\N	basic	\N	3000000000	0	0	3000000000	\N	\N	\N	\N
5	7	5	basic	\N	5000000000	1000000000000000	1000000000000000	5000000000	\N	\N	\N	\N
7	11	5	basic	\N	5000000000	1000000000000000	1000000000000000	5000000000	\N	\N	\N	\N
8	14	\N	basic	\N	3000000000	0	0	3000000000	\N	\N	\N	\N
1	2	5	basic	\N	10000000000	0	0	10000000000	40	1625000000	0	9
2	2	\N	zcdp	\N	11000000000	1000000000000000	0	3012784270999	\N	102539062500	0	9
3	2	-1	basic	\N	20000000000	1000000000000000	1000000000000000	20000000000	\N	1625000000	0	9
\.


--
-- Data for Name: identities; Type: TABLE DATA; Schema: dpobj; Owner: postgres
--

COPY dpobj.identities (id, kind, origin, object, name, holdout_key) FROM stdin;
6	table	7712779590878791939/16389	17621	public.quick	4c1476c8-b0ee-4aca-9aa0-16a3eab96e5b
7	table	7712779590878791939/16389	17626	public.clinic	eaea7cd3-bb8e-49eb-a665-0f22e508de9f
8	role	7712779590878791939/16389	16385	bob	85e9b7db-c880-4b06-b13c-3d572272757b
9	role	7712779590878791939/16389	16387	dealer	c0e00344-9084-4529-8d4d-37242854e0f2
10	table	7712779590878791939/16389	17629	public.lent	1b255655-6e31-430c-b329-fe587d4c3fbb
11	table	7712779590878791939/16389	17632	public.deal	14aec934-3a00-4abf-ad77-d429fe2fdd93
12	table	7712779590878791939/16389	17635	public.deal_here	4303ab84-d267-4ce8-8c97-932aa5b8e954
13	table	7712779590878791939/16389	17640	public.deal_far	ece17c92-6772-40f6-b309-43a29ad7527a
14	table	7712779590878791939/16389	17648	public.hard	a15994b4-4a23-4ab1-8ad6-15aab89afcb5
1	role	7712779590878791939/17653	10	postgres	5ef030e1-21cd-4a42-90f9-f00e264d12be
2	table	7712779590878791939/17653	18291	public.visit	75dc80fb-ef36-4ba6-89b4-ead29e3ba6df
3	table	7712779590878791939/17653	18294	public.visit_early	11e585a6-4bf2-4eb2-a54e-20440997eece
4	table	7712779590878791939/17653	18299	public.visit_late	7b327d88-ed49-4743-a380-e1258ad306a1
5	role	7712779590878791939/17653	16384	ana	f236e125-35ab-4ad3-a86f-b1358857c2d8
\.


--
-- Data for Name: job_rows; Type: TABLE DATA; Schema: dpobj; Owner: postgres
--

COPY dpobj.job_rows (id, name, state, submitted, started, finished, origin, role, role_name, relation, relation_name, label, epsilon, features, delta, method, options, filter, request_hash, release, sqlstate, reason, call) FROM stdin;
1	in the background	released	2026-11-27 09:24:27.572015+00	2026-11-27 09:24:27.651353+00	2026-11-27 09:24:28.009297+00	7712779590878791939/16389	16384	ana	17608	public.visit	ill	0.0625	\N	0	halfspace	\N	\N	\\x6671c17b4b6d277c46637c396c1f4052210e030f7b1308164b20fcd688c98b65	36	\N	\N	\N
\.


--
-- Data for Name: ledger_events; Type: TABLE DATA; Schema: dpobj; Owner: postgres
--

COPY dpobj.ledger_events (id, at, event, release, relation, relation_name, role, role_name, mechanism, mechanism_version, adjacency, epsilon_nano, delta_units, guarantee, pair, parameters, snapshot, output_hash, epoch, relation_identity, role_identity, payers, door, person, pair_terms, rho_pico, rho_delta, rdp_pico, rdp_delta, rdp_replaced) FROM stdin;
1	2026-11-27 09:24:24.204207+00	protect	\N	17608	public.visit	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"n": 60, "person": null, "encoders": {"id": {"clip": [0, 60], "scale": 60}, "ill": {}, "sex": {"levels": ["f", "m"]}, "smokes": {}}, "adjacency": "replace", "ignore_rls": false, "max_rows_per_person": null}	\N	\N	7712779590878791939/16389/1	2	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
2	2026-11-27 09:24:24.345049+00	set_budget	\N	17608	public.visit	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"role": "ana", "delta": 0, "epsilon": 10, "accountant": "basic", "max_releases": 40}	\N	\N	7712779590878791939/16389/1	2	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
3	2026-11-27 09:24:24.493151+00	set_budget	\N	17608	public.visit	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"role": null, "delta": 0.001, "epsilon": 9, "accountant": "zcdp", "max_releases": null, "delta_reserve": 0}	\N	\N	7712779590878791939/16389/1	2	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
4	2026-11-27 09:24:24.632609+00	raise_budget	\N	17608	public.visit	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"role": null, "delta": 0.001, "reason": "a new year", "epsilon": 11, "accountant": "zcdp", "delta_added": 0, "delta_reserve": 0, "epsilon_added": 2}	\N	\N	7712779590878791939/16389/1	2	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
5	2026-11-27 09:24:24.77159+00	limit_budget	\N	17608	public.visit	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"role": null, "delta": 0.001, "epsilon": 20, "accountant": "basic", "max_releases": null}	\N	\N	7712779590878791939/16389/1	2	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
6	2026-11-27 09:24:24.886038+00	set_budget	\N	17621	public.quick	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"role": null, "delta": 0, "epsilon": 3, "accountant": "basic", "max_releases": null}	\N	\N	7712779590878791939/16389/1	6	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
7	2026-11-27 09:24:24.997392+00	protect	\N	17626	public.clinic	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"n": null, "person": "who", "encoders": {"x": {"clip": [0, 1]}, "y": {}}, "adjacency": "replace", "ignore_rls": false, "max_rows_per_person": 2}	\N	\N	7712779590878791939/16389/1	7	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
8	2026-11-27 09:24:25.117314+00	set_budget	\N	17626	public.clinic	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"role": "ana", "delta": 0.001, "epsilon": 5, "accountant": "basic", "max_releases": null}	\N	\N	7712779590878791939/16389/1	7	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
9	2026-11-27 09:24:25.277601+00	set_budget	\N	17626	public.clinic	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"role": "bob", "delta": 0, "epsilon": 5, "accountant": "basic", "max_releases": null}	\N	\N	7712779590878791939/16389/1	7	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
10	2026-11-27 09:24:25.398106+00	drop_budget	\N	17626	public.clinic	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"role": "bob"}	\N	\N	7712779590878791939/16389/1	7	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
11	2026-11-27 09:24:25.55476+00	protect	\N	17621	public.quick	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"n": null, "person": null, "encoders": {"label": {}}, "adjacency": "replace", "ignore_rls": false, "max_rows_per_person": null}	\N	\N	7712779590878791939/16389/1	6	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
12	2026-11-27 09:24:25.655419+00	unprotect	\N	17621	public.quick	10	postgres	\N	\N	\N	\N	\N	\N	\N	{}	\N	\N	7712779590878791939/16389/1	6	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
13	2026-11-27 09:24:25.729996+00	mark_part	\N	17629	public.lent	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"role": "dealer", "coordinator": "elsewhere.public.whole"}	\N	\N	7712779590878791939/16389/1	10	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
14	2026-11-27 09:24:25.832218+00	unmark_part	\N	17629	public.lent	10	postgres	\N	\N	\N	\N	\N	\N	\N	{}	\N	\N	7712779590878791939/16389/1	10	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
15	2026-11-27 09:24:25.946651+00	mark_part	\N	17629	public.lent	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"role": "dealer", "coordinator": "elsewhere.public.whole"}	\N	\N	7712779590878791939/16389/1	10	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
16	2026-11-27 09:24:26.300705+00	protect	\N	17632	public.deal	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"n": 100, "person": null, "encoders": {"y": {}}, "adjacency": "replace", "ignore_rls": false, "max_rows_per_person": null}	\N	\N	7712779590878791939/16389/1	11	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
17	2026-11-27 09:24:26.422664+00	set_budget	\N	17632	public.deal	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"role": "ana", "delta": 0.001, "epsilon": 5, "accountant": "basic", "max_releases": null}	\N	\N	7712779590878791939/16389/1	11	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
18	2026-11-27 09:24:26.577848+00	charged	\N	17621	public.quick	10	postgres	exponential	0.3.0	replace	500000000	0	conditional	br	{"grid": {"group": [1, 2, 4], "numeric": [1, 2, 3, 4, 6, 8, 12, 16], "indicator": [1, 2]}, "prior": {"power": 1}, "options": {}, "encoding": {"features": 2, "intercept": false}, "dimension": 2, "log2_grid": 4.64, "conditional": ["dimension of a row"]}	784:784:	\N	7712779590878791939/16389/1	6	1	{1}	owner	\N	{}	31250000000	0	{62500000063,93750000094,125000000126,156250000157,187500000188,250000000251,312500000313,375000000376,468394880559,475048580434,479387957692,484707194544,489913256146,492474968998,495009716452,496267110858,497517922047,498140875070,499072256891,499536582138}	0	\N
19	2026-11-27 09:24:26.625399+00	released	18	17621	public.quick	10	postgres	exponential	0.3.0	\N	\N	\N	\N	\N	\N	\N	\\xef350cf816c6e375053641a7721d0bfd62f55e897d992591090ec755e68e0062	7712779590878791939/16389/1	6	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
20	2026-11-27 09:24:26.636966+00	charged	\N	17621	public.quick	10	postgres	laplace	0.3.0	replace	250000000	0	exact	pure	{"look": "count", "cells": 1}	789:789:	\N	7712779590878791939/16389/1	6	1	{1}	owner	\N	{}	31250000000	0	{60931586297,87994830822,111428243632,131066784891,147205633973,171043720813,186963896175,197930755343,211632748873,219690467225,224959498896,231421313929,237745970029,240858104688,243937480035,245465044184,246984610615,247741414288,248872917236,249437009615}	0	\N
21	2026-11-27 09:24:26.639259+00	released	20	17621	public.quick	10	postgres	laplace	0.3.0	\N	\N	\N	\N	\N	\N	\N	\\x1f4a642293a877a956d07c84fb52a87705ee0be51b1e187c5ff247c1d8c9fe1a	7712779590878791939/16389/1	6	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
22	2026-11-27 09:24:27.018962+00	charged	\N	17608	public.visit	16384	ana	exponential	0.3.0	replace	500000000	0	exact	br	{"grid": {"group": [1, 2, 4], "numeric": [1, 2, 3, 4, 6, 8, 12, 16], "indicator": [1, 2]}, "label": "ill", "prior": {"power": 1}, "types": {"ill": "boolean", "sex": "text", "smokes": "boolean"}, "options": {}, "encoders": {"ill": {}, "sex": {"levels": ["f", "m"]}, "smokes": {}}, "encoding": {"low": [0, 0, 0], "features": 3, "intercept": true}, "features": ["smokes", "sex"], "relation": "public.visit", "dimension": 4, "log2_grid": 7.94}	793:793:	\N	7712779590878791939/16389/1	2	5	{5}	analyst	\N	{}	31250000000	0	{62500000063,93750000094,125000000126,156250000157,187500000188,250000000251,312500000313,375000000376,468394880559,475048580434,479387957692,484707194544,489913256146,492474968998,495009716452,496267110858,497517922047,498140875070,499072256891,499536582138}	0	\N
23	2026-11-27 09:24:27.056254+00	released	22	17608	public.visit	16384	ana	exponential	0.3.0	\N	\N	\N	\N	\N	\N	\N	\\xa741f8ba0c0614251943668cbcb686905d69e0ded235673e4eef0aa60e2df42a	7712779590878791939/16389/1	2	5	\N	\N	\N	\N	\N	\N	\N	\N	\N
38	2026-11-27 09:24:28.354861+00	remember_server	\N	\N	\N	16384	ana	\N	\N	\N	\N	\N	\N	\N	{"epoch": "7712779590878791939/16388/1", "server": "part elsewhere.example:5432/part_030"}	\N	\N	7712779590878791939/16389/1	\N	5	\N	\N	\N	\N	\N	\N	\N	\N	\N
24	2026-11-27 09:24:27.126312+00	charged	\N	17608	public.visit	16384	ana	objective	0.3.0	replace	250000000	0	exact	pure	{"loss": "logistic", "label": "ill", "noise": "knorm", "types": {"ill": "boolean", "sex": "text", "smokes": "boolean"}, "radius": 1.7320508075688772, "options": {}, "encoders": {"ill": {}, "sex": {"levels": ["f", "m"]}, "smokes": {}}, "encoding": {"low": [0, 0, 0], "features": 3, "intercept": true}, "features": ["smokes", "sex"], "relation": "public.visit", "dimension": 4, "weight_step": 0.00000055060412329638085, "noise_groups": 2, "weight_noise": 0.0000001618228780973822, "regularization": 326.64105634018779, "hessian_epsilon": 0.00229347, "noise_dimension": 3, "objective_noise": 8.1060277811842205}	797:797:	\N	7712779590878791939/16389/1	2	5	{5}	analyst	\N	{}	31250000000	0	{60931586297,87994830822,111428243632,131066784891,147205633973,171043720813,186963896175,197930755343,211632748873,219690467225,224959498896,231421313929,237745970029,240858104688,243937480035,245465044184,246984610615,247741414288,248872917236,249437009615}	0	\N
25	2026-11-27 09:24:27.156877+00	released	24	17608	public.visit	16384	ana	objective	0.3.0	\N	\N	\N	\N	\N	\N	\N	\\xafee80e7caf476ffcbd901c633c0d365b52d42c93a82a279ac6d565898b3045d	7712779590878791939/16389/1	2	5	\N	\N	\N	\N	\N	\N	\N	\N	\N
26	2026-11-27 09:24:27.211272+00	charged	\N	17608	public.visit	16384	ana	exponential	0.3.0	replace	250000000	0	exact	br	{"grid": {"group": [1, 2, 4], "numeric": [1, 2, 3, 4, 6, 8, 12, 16], "indicator": [1, 2]}, "label": "ill", "prior": {"power": 1}, "types": {"ill": "boolean", "smokes": "boolean"}, "groups": {"by": ["sex"], "keys": [["f"], ["m"]], "delta": 0, "epsilon": 0.125, "adjacency": "add_remove"}, "options": {}, "encoders": {"ill": {}, "smokes": {}}, "encoding": {"low": [0], "features": 1, "intercept": true}, "features": ["smokes"], "relation": "public.visit", "dimension": 2, "log2_grid": 6.41}	801:801:	\N	7712779590878791939/16389/1	2	5	{5}	analyst	\N	{}	7812500000	0	{15625000016,23437500024,31250000032,39062500040,46875000047,62500000063,78125000079,93750000094,125000000126,156250000157,187500000188,231421313929,237745970029,240858104688,243937480035,245465044184,246984610615,247741414288,248872917236,249437009615}	0	\N
27	2026-11-27 09:24:27.268464+00	released	26	17608	public.visit	16384	ana	exponential	0.3.0	\N	\N	\N	\N	\N	\N	\N	\\x15c3427b128ad7633adbc836fc6e39384423664de5b713f0e86cdf86653605db	7712779590878791939/16389/1	2	5	\N	\N	\N	\N	\N	\N	\N	\N	\N
28	2026-11-27 09:24:27.329351+00	charged	\N	17608	public.visit	16384	ana	laplace	0.3.0	replace	125000000	0	exact	pure	{"label": "ill", "model": 22, "types": {"ill": "boolean", "sex": "text", "smokes": "boolean"}, "encoders": {"ill": {}, "sex": {"levels": ["f", "m"]}, "smokes": {}}, "features": ["smokes", "sex"], "relation": "public.visit", "evaluation": "accuracy", "sensitivity": 2}	805:805:	\N	7712779590878791939/16389/1	2	5	{5}	analyst	\N	{}	7812500000	0	{15524228839,23050821503,30281848593,37137775270,43562723301,55010860382,64593381194,72480285877,84196191124,92105634781,97617644515,104605839505,111540594303,114958747611,118341062905,120018905354,121687963288,122519219592,123762037237,124381623746}	0	\N
29	2026-11-27 09:24:27.331651+00	released	28	17608	public.visit	16384	ana	laplace	0.3.0	\N	\N	\N	\N	\N	\N	\N	\\x54ade53a579f5389ecae3af42df9e96aa30fcf3fc02a7475afc18c3e4835f6f7	7712779590878791939/16389/1	2	5	\N	\N	\N	\N	\N	\N	\N	\N	\N
30	2026-11-27 09:24:27.362482+00	charged	\N	17608	public.visit	16384	ana	laplace	0.3.0	replace	125000000	0	exact	pure	{"look": "count", "cells": 1, "relation": "public.visit"}	809:809:	\N	7712779590878791939/16389/1	2	5	{5}	analyst	\N	{}	7812500000	0	{15524228839,23050821503,30281848593,37137775270,43562723301,55010860382,64593381194,72480285877,84196191124,92105634781,97617644515,104605839505,111540594303,114958747611,118341062905,120018905354,121687963288,122519219592,123762037237,124381623746}	0	\N
31	2026-11-27 09:24:27.383396+00	released	30	17608	public.visit	16384	ana	laplace	0.3.0	\N	\N	\N	\N	\N	\N	\N	\\x883a8426642f04c6fcc2a1f5802d9e8a305ae82d229c2ce1ce467fe5fbdb1ad7	7712779590878791939/16389/1	2	5	\N	\N	\N	\N	\N	\N	\N	\N	\N
32	2026-11-27 09:24:27.422285+00	charged	\N	17608	public.visit	16384	ana	laplace	0.3.0	replace	125000000	0	exact	pure	{"look": "histogram", "cells": 4, "column": "sex", "relation": "public.visit"}	813:813:	\N	7712779590878791939/16389/1	2	5	{5}	analyst	\N	{}	7812500000	0	{15524228839,23050821503,30281848593,37137775270,43562723301,55010860382,64593381194,72480285877,84196191124,92105634781,97617644515,104605839505,111540594303,114958747611,118341062905,120018905354,121687963288,122519219592,123762037237,124381623746}	0	\N
33	2026-11-27 09:24:27.431901+00	released	32	17608	public.visit	16384	ana	laplace	0.3.0	\N	\N	\N	\N	\N	\N	\N	\\x17c214965b2ac31cee8c2832ce5a4b2821840412b4e44c3c2e2b8f0d3e83e423	7712779590878791939/16389/1	2	5	\N	\N	\N	\N	\N	\N	\N	\N	\N
34	2026-11-27 09:24:27.454465+00	charged	\N	17626	public.clinic	16384	ana	objective	0.3.0	replace	500000000	0	exact	pure	{"loss": "logistic", "label": "y", "noise": "knorm", "types": {"x": "double precision", "y": "boolean"}, "person": "who", "radius": 1.4142135623730951, "options": {}, "encoders": {"x": {"clip": [0, 1]}, "y": {}}, "encoding": {"low": [0], "features": 1, "intercept": true}, "features": ["x"], "relation": "public.clinic", "dimension": 2, "weight_step": 0.00000067434957617430445, "noise_groups": 1, "weight_noise": 0.0000014673834877496339, "regularization": 29.411788560915742, "hessian_epsilon": 0.0168571, "noise_dimension": 2, "objective_noise": 8.6145134225357527, "max_rows_per_person": 2}	817:817:	\N	7712779590878791939/16389/1	7	5	{5}	analyst	who	{}	125000000000	0	{227336294030,302406375359,351891145050,384242690552,406000292225,432353707189,447333096542,456903013718,468394880559,475048580434,479387957692,484707194544,489913256146,492474968998,495009716452,496267110858,497517922047,498140875070,499072256891,499536582138}	0	\N
35	2026-11-27 09:24:27.48566+00	released	34	17626	public.clinic	16384	ana	objective	0.3.0	\N	\N	\N	\N	\N	\N	\N	\\x736b26c9ca2f6523f6184754c4cc539c0dd5fa1523fa1a5145f784a3ff213d58	7712779590878791939/16389/1	7	5	\N	\N	\N	\N	\N	\N	\N	\N	\N
36	2026-11-27 09:24:27.928867+00	charged	\N	17608	public.visit	16384	ana	exponential	0.3.0	replace	62500000	0	exact	br	{"grid": {"group": [1, 2, 4], "numeric": [1, 2, 3, 4, 6, 8, 12, 16], "indicator": [1, 2]}, "label": "ill", "prior": {"power": 1}, "types": {"ill": "boolean", "smokes": "boolean"}, "options": {}, "encoders": {"ill": {}, "smokes": {}}, "encoding": {"low": [0], "features": 1, "intercept": true}, "features": ["smokes"], "relation": "public.visit", "dimension": 2, "log2_grid": 6.41}	827:827:	\N	7712779590878791939/16389/1	2	5	{5}	analyst	\N	{}	488281250	0	{976562501,1464843752,1953125002,2441406253,2929687503,3906250004,4882812505,5859375006,7812500008,9765625010,11718750012,15625000016,23437500024,31250000032,46875000047,57284368069,59032013765,59902410326,61203746867,61852507020}	0	\N
37	2026-11-27 09:24:27.98225+00	released	36	17608	public.visit	16384	ana	exponential	0.3.0	\N	\N	\N	\N	\N	\N	\N	\\x079fcad521657e3655caa9858a73b464d715e0faef477941c2afc838442c8187	7712779590878791939/16389/1	2	5	\N	\N	\N	\N	\N	\N	\N	\N	\N
39	2026-11-27 09:24:28.378736+00	charged	\N	17632	public.deal	16384	ana	laplace	0.3.0	replace	125000000	0	exact	pure	{"look": "count", "cells": 1, "relation": "public.deal"}	829:829:	\N	7712779590878791939/16389/1	11	5	{5}	analyst	\N	{}	7812500000	0	{15524228839,23050821503,30281848593,37137775270,43562723301,55010860382,64593381194,72480285877,84196191124,92105634781,97617644515,104605839505,111540594303,114958747611,118341062905,120018905354,121687963288,122519219592,123762037237,124381623746}	0	\N
40	2026-11-27 09:24:28.407565+00	released	39	17632	public.deal	16384	ana	laplace	0.3.0	\N	\N	\N	\N	\N	\N	\N	\\x26766717f523d6694ab74b57440be1fffcc0d92481bb5d5bd2888ffcb605932a	7712779590878791939/16389/1	11	5	\N	\N	\N	\N	\N	\N	\N	\N	\N
41	2026-11-27 09:24:28.512412+00	charged	\N	17608	public.visit	16384	ana	exponential	0.3.0	replace	62500000	0	exact	br	{"grid": {"group": [1, 2, 4], "numeric": [1, 2, 3, 4, 6, 8, 12, 16], "indicator": [1, 2]}, "label": "ill", "prior": {"power": 1}, "types": {"id": "integer", "ill": "boolean", "sex": "text", "smokes": "boolean"}, "options": {"intercept": false}, "encoders": {"id": {"clip": [0, 60], "scale": 60}, "ill": {}, "sex": {"levels": ["f", "m"]}, "smokes": {}}, "encoding": {"low": [0, 0, 0, 0], "high": [60, 1, 1, 1], "features": 4, "intercept": false}, "features": ["id", "sex", "smokes"], "relation": "public.visit", "dimension": 4, "log2_grid": 12.02}	836:836:	\N	7712779590878791939/16389/1	2	5	{5}	analyst	\N	{}	488281250	0	{976562501,1464843752,1953125002,2441406253,2929687503,3906250004,4882812505,5859375006,7812500008,9765625010,11718750012,15625000016,23437500024,31250000032,46875000047,57284368069,59032013765,59902410326,61203746867,61852507020}	0	\N
42	2026-11-27 09:24:28.580688+00	released	41	17608	public.visit	16384	ana	exponential	0.3.0	\N	\N	\N	\N	\N	\N	\N	\\xe24ecdbffd3a774883099a61c804bea175df119d3cda429de44de7527eee11a9	7712779590878791939/16389/1	2	5	\N	\N	\N	\N	\N	\N	\N	\N	\N
43	2026-11-27 09:24:43.808667+00	set_budget	\N	17648	public.hard	10	postgres	\N	\N	\N	\N	\N	\N	\N	{"role": null, "delta": 0, "epsilon": 3, "accountant": "basic", "max_releases": null}	\N	\N	7712779590878791939/16389/1	14	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
44	2026-11-27 09:24:43.922417+00	charged	\N	17648	public.hard	10	postgres	opdisc	0.3.0	replace	500000000	0	conditional	pure	{"N": 64, "rate": 0.00390625, "gauge": "one-hot", "noise": "gauge", "options": {"dimension": 30, "mechanism": "opdisc", "time_limit": 1}, "encoding": {"features": 30, "intercept": false}, "dimension": 30, "log2_grid": 47.55, "conditional": ["time_limit"]}	844:844:	\N	7712779590878791939/16389/1	14	1	{1}	owner	\N	{}	125000000000	0	{227336294030,302406375359,351891145050,384242690552,406000292225,432353707189,447333096542,456903013718,468394880559,475048580434,479387957692,484707194544,489913256146,492474968998,495009716452,496267110858,497517922047,498140875070,499072256891,499536582138}	0	\N
45	2026-11-27 09:24:45.044947+00	failed	44	17648	public.hard	10	postgres	opdisc	0.3.0	\N	\N	\N	\N	\N	\N	\N	\N	7712779590878791939/16389/1	14	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
1795771487314923	2026-11-27 09:24:47.316033+00	confirm_epoch	\N	\N	\N	10	postgres	\N	\N	\N	\N	\N	\N	\N	{}	\N	\N	7712779590878791939/17653/1	\N	1	\N	\N	\N	\N	\N	\N	\N	\N	\N
1795771487314924	2026-11-27 09:24:48.396622+00	charged	\N	18291	public.visit	16384	ana	laplace	0.3.0	replace	125000000	0	exact	pure	{"look": "count", "cells": 1, "relation": "public.visit"}	904:904:	\N	7712779590878791939/17653/1	2	5	{5}	analyst	\N	{}	7812500000	0	{15524228839,23050821503,30281848593,37137775270,43562723301,55010860382,64593381194,72480285877,84196191124,92105634781,97617644515,104605839505,111540594303,114958747611,118341062905,120018905354,121687963288,122519219592,123762037237,124381623746}	0	\N
1795771487314925	2026-11-27 09:24:48.411295+00	released	1795771487314924	18291	public.visit	16384	ana	laplace	0.3.0	\N	\N	\N	\N	\N	\N	\N	\\xab7e8918484e5fb82b5647f3c2bcfe743d3d06670b16d485e3f449d11741ab30	7712779590878791939/17653/1	2	5	\N	\N	\N	\N	\N	\N	\N	\N	\N
\.


--
-- Data for Name: lineage; Type: TABLE DATA; Schema: dpobj; Owner: postgres
--

COPY dpobj.lineage (ancestor, descendant) FROM stdin;
2	3
2	4
11	12
11	13
\.


--
-- Data for Name: model_rows; Type: TABLE DATA; Schema: dpobj; Owner: postgres
--

COPY dpobj.model_rows (release, place, owner, name, request_hash, released, model, key, answer, charged_as, comment, retired, deleted, hash) FROM stdin;
18	1	1	\N	\N	2026-11-27 09:24:26.626346+00	(halfspace,exponential,"{1,0}",0.5,0,replace,conditional,18,"{""grid"": {""group"": [1, 2, 4], ""numeric"": [1, 2, 3, 4, 6, 8, 12, 16], ""indicator"": [1, 2]}, ""prior"": {""power"": 1}, ""options"": {}, ""encoding"": {""features"": 2, ""intercept"": false}, ""dimension"": 2, ""log2_grid"": 4.64, ""conditional"": [""dimension of a row""]}")	\N	\N	\N	\N	\N	\N	\N
22	1	5	first	\\x5e0b8770e3accb78298ce7e9de7c398c6ff7c7ca25f6eff690b0d0779eec22f8	2026-11-27 09:24:27.05699+00	(halfspace,exponential,"{2,0,0,0}",0.5,0,replace,exact,22,"{""grid"": {""group"": [1, 2, 4], ""numeric"": [1, 2, 3, 4, 6, 8, 12, 16], ""indicator"": [1, 2]}, ""label"": ""ill"", ""prior"": {""power"": 1}, ""types"": {""ill"": ""boolean"", ""sex"": ""text"", ""smokes"": ""boolean""}, ""options"": {}, ""encoders"": {""ill"": {}, ""sex"": {""levels"": [""f"", ""m""]}, ""smokes"": {}}, ""encoding"": {""low"": [0, 0, 0], ""features"": 3, ""intercept"": true}, ""features"": [""smokes"", ""sex""], ""relation"": ""public.visit"", ""dimension"": 4, ""log2_grid"": 7.94}")	\N	\N	\N	\N	\N	\N	\N
24	1	5	second	\\x966b23d9fc9ebdbc4b1a541d29b161a6563d996a81f7e11f1c913ef54545d94a	2026-11-27 09:24:27.157323+00	(logistic,objective,"{0.0677622988499623,0.008605391842999136,-0.00800082851561971,0.0006051139315027225}",0.25,0,replace,exact,24,"{""loss"": ""logistic"", ""label"": ""ill"", ""noise"": ""knorm"", ""types"": {""ill"": ""boolean"", ""sex"": ""text"", ""smokes"": ""boolean""}, ""radius"": 1.7320508075688772, ""options"": {}, ""encoders"": {""ill"": {}, ""sex"": {""levels"": [""f"", ""m""]}, ""smokes"": {}}, ""encoding"": {""low"": [0, 0, 0], ""features"": 3, ""intercept"": true}, ""features"": [""smokes"", ""sex""], ""relation"": ""public.visit"", ""dimension"": 4, ""weight_step"": 0.00000055060412329638085, ""noise_groups"": 2, ""weight_noise"": 0.0000001618228780973822, ""regularization"": 326.64105634018779, ""hessian_epsilon"": 0.00229347, ""noise_dimension"": 3, ""objective_noise"": 8.1060277811842205}")	\N	\N	\N	of 0.3.0	2026-11-27 09:24:27.520243+00	\N	\N
39	1	5	\N	\\xd0d6aa6707c5797c86f49f86575cebc81c98cf0cd8b7c020abf27f1b1ec3d137	2026-11-27 09:24:28.408075+00	\N	\N	[{"key": null, "low": 71, "high": 119, "level": 0.95, "value": 95}]	\N	\N	\N	\N	\N
26	2	5	by sex{m}	\\xda75cb3c3ce91ed38c73df9ded6526f36f36c9eff7dc4a7cfec68a3e0562bc09	2026-11-27 09:24:27.269605+00	(halfspace,exponential,"{2,0}",0.25,0,replace,exact,26,"{""grid"": {""group"": [1, 2, 4], ""numeric"": [1, 2, 3, 4, 6, 8, 12, 16], ""indicator"": [1, 2]}, ""group"": {""by"": [""sex""], ""key"": [""m""], ""delta"": 0, ""epsilon"": 0.125, ""adjacency"": ""add_remove""}, ""label"": ""ill"", ""prior"": {""power"": 1}, ""types"": {""ill"": ""boolean"", ""smokes"": ""boolean""}, ""options"": {}, ""encoders"": {""ill"": {}, ""smokes"": {}}, ""encoding"": {""low"": [0], ""features"": 1, ""intercept"": true}, ""features"": [""smokes""], ""relation"": ""public.visit"", ""dimension"": 2, ""log2_grid"": 6.41}")	{m}	\N	\N	\N	\N	\N	\N
28	1	5	\N	\\xc364c2e23eeb687cd52ced6e657ba3620463b50dae9ba1f1b640afd0bba67d1e	2026-11-27 09:24:27.332003+00	\N	\N	[{"low": 0.42, "high": 1, "level": 0.95, "value": 1, "sample_low": 0.42, "sample_high": 1}]	\N	\N	\N	\N	\N
30	1	5	how many	\\x1ef734c2315455215c27ff83960789fe5724cdeff28c62ee8f75ebe467e552b8	2026-11-27 09:24:27.383834+00	\N	\N	[{"key": null, "low": 41, "high": 89, "level": 0.95, "value": 65}]	\N	\N	\N	\N	\N
32	1	5	sexes	\\x7736f8e3626599de80d3a9e908e49e4634d16f00276ebfa74bbd94d6fe36ba05	2026-11-27 09:24:27.432185+00	\N	\N	[{"bin": "f", "key": null, "low": 0, "high": 60, "level": 0.95, "value": 12}, {"bin": "m", "key": null, "low": 0, "high": 56, "level": 0.95, "value": 8}, {"bin": "NULL", "key": null, "low": 0, "high": 70, "level": 0.95, "value": 22}, {"bin": "other", "key": null, "low": 0, "high": 63, "level": 0.95, "value": 15}]	\N	\N	\N	\N	\N
34	1	5	of persons	\\x0408fbf7c505073700357eedc209475ae9b339115c4e627fc91cc8ce2e45de33	2026-11-27 09:24:27.486+00	(logistic,objective,"{0.00498816381496133,-0.057319713974815875}",0.5,0,replace,exact,34,"{""loss"": ""logistic"", ""label"": ""y"", ""noise"": ""knorm"", ""types"": {""x"": ""double precision"", ""y"": ""boolean""}, ""person"": ""who"", ""radius"": 1.4142135623730951, ""options"": {}, ""encoders"": {""x"": {""clip"": [0, 1]}, ""y"": {}}, ""encoding"": {""low"": [0], ""features"": 1, ""intercept"": true}, ""features"": [""x""], ""relation"": ""public.clinic"", ""dimension"": 2, ""weight_step"": 0.00000067434957617430445, ""noise_groups"": 1, ""weight_noise"": 0.0000014673834877496339, ""regularization"": 29.411788560915742, ""hessian_epsilon"": 0.0168571, ""noise_dimension"": 2, ""objective_noise"": 8.6145134225357527, ""max_rows_per_person"": 2}")	\N	\N	\N	\N	\N	\N	\N
26	1	5	\N	\\xda75cb3c3ce91ed38c73df9ded6526f36f36c9eff7dc4a7cfec68a3e0562bc09	2026-11-27 09:24:27.269531+00	\N	{f}	\N	by sex{f}	\N	\N	2026-11-27 09:24:27.526096+00	\\x8b85f1b20465413b47827e88ef7a794db5701d7dd04040e96f245bdcaf87e4ef
36	1	5	in the background	\\x6671c17b4b6d277c46637c396c1f4052210e030f7b1308164b20fcd688c98b65	2026-11-27 09:24:28.002776+00	(halfspace,exponential,"{0,-8}",0.0625,0,replace,exact,36,"{""grid"": {""group"": [1, 2, 4], ""numeric"": [1, 2, 3, 4, 6, 8, 12, 16], ""indicator"": [1, 2]}, ""label"": ""ill"", ""prior"": {""power"": 1}, ""types"": {""ill"": ""boolean"", ""smokes"": ""boolean""}, ""options"": {}, ""encoders"": {""ill"": {}, ""smokes"": {}}, ""encoding"": {""low"": [0], ""features"": 1, ""intercept"": true}, ""features"": [""smokes""], ""relation"": ""public.visit"", ""dimension"": 2, ""log2_grid"": 6.41}")	\N	\N	\N	\N	\N	\N	\N
41	1	5	yearly 2026-01-01 00:00	\\xa4d7e67ef21abd34b68be21c677d2d26f99c24d3f6760994accc783e2864bd5e	2026-11-27 09:24:28.581053+00	(halfspace,exponential,"{-1,-4,4,2}",0.0625,0,replace,exact,41,"{""grid"": {""group"": [1, 2, 4], ""numeric"": [1, 2, 3, 4, 6, 8, 12, 16], ""indicator"": [1, 2]}, ""label"": ""ill"", ""prior"": {""power"": 1}, ""types"": {""id"": ""integer"", ""ill"": ""boolean"", ""sex"": ""text"", ""smokes"": ""boolean""}, ""options"": {""intercept"": false}, ""encoders"": {""id"": {""clip"": [0, 60], ""scale"": 60}, ""ill"": {}, ""sex"": {""levels"": [""f"", ""m""]}, ""smokes"": {}}, ""encoding"": {""low"": [0, 0, 0, 0], ""high"": [60, 1, 1, 1], ""features"": 4, ""intercept"": false}, ""features"": [""id"", ""sex"", ""smokes""], ""relation"": ""public.visit"", ""dimension"": 4, ""log2_grid"": 12.02}")	\N	\N	\N	\N	\N	\N	\N
44	1	1	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N
1795771487314924	1	5	\N	\\x1ef734c2315455215c27ff83960789fe5724cdeff28c62ee8f75ebe467e552b8	2026-11-27 09:24:48.411931+00	\N	\N	[{"key": null, "low": 52, "high": 100, "level": 0.95, "value": 76}]	\N	\N	\N	\N	\N
\.


--
-- Data for Name: model_shares; Type: TABLE DATA; Schema: dpobj; Owner: postgres
--

COPY dpobj.model_shares (release, place, origin, role, role_name) FROM stdin;
22	1	7712779590878791939/16389	16385	bob
\.


--
-- Data for Name: parts; Type: TABLE DATA; Schema: dpobj; Owner: postgres
--

COPY dpobj.parts (relation, at, coordinator, role, origin, object) FROM stdin;
10	2026-11-27 09:24:25.954903+00	elsewhere.public.whole	9	7712779590878791939/16389	17629
\.


--
-- Data for Name: protections; Type: TABLE DATA; Schema: dpobj; Owner: postgres
--

COPY dpobj.protections (relation, at, encoders, adjacency, person, max_rows_per_person, n, ignore_rls, earlier_rows_per_person, holdout_by) FROM stdin;
2	2026-11-27 09:24:24.215702+00	{"id": {"clip": [0, 60], "scale": 60}, "ill": {}, "sex": {"levels": ["f", "m"]}, "smokes": {}}	replace	\N	\N	60	f	\N	\N
7	2026-11-27 09:24:25.021657+00	{"x": {"clip": [0, 1]}, "y": {}}	replace	who	2	\N	f	\N	\N
11	2026-11-27 09:24:26.306221+00	{"y": {}}	replace	\N	\N	100	f	\N	\N
\.


--
-- Data for Name: schedule_rows; Type: TABLE DATA; Schema: dpobj; Owner: postgres
--

COPY dpobj.schedule_rows (id, owner, owner_name, origin, name, at, cron, relation, label, epsilon, features, delta, method, options, filter, allowance, period, call) FROM stdin;
1	16384	ana	7712779590878791939/16389	yearly	2026-11-27 09:24:28.41877+00	0 0 1 1 *	2	ill	0.0625	\N	0	halfspace	{}	\N	0.1	1 year	\N
\.


--
-- Data for Name: schedule_run_rows; Type: TABLE DATA; Schema: dpobj; Owner: postgres
--

COPY dpobj.schedule_run_rows (schedule, scheduled, started, finished, state, sqlstate, message) FROM stdin;
1	2026-01-01 00:00:00+00	2026-11-27 09:24:28.440812+00	2026-11-27 09:24:28.599637+00	released	\N	\N
\.


--
-- Data for Name: clinic; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.clinic (who, x, y) FROM stdin;
0	0.25	f
1	0.5	t
1	0.75	f
2	0	t
2	0.25	f
3	0.5	t
3	0.75	f
4	0	t
4	0.25	f
5	0.5	t
5	0.75	f
6	0	t
6	0.25	f
7	0.5	t
7	0.75	f
8	0	t
8	0.25	f
9	0.5	t
9	0.75	f
10	0	t
\.


--
-- Data for Name: deal_here; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.deal_here (id, y) FROM stdin;
1	f
2	t
3	f
4	t
5	f
6	t
7	f
8	t
9	f
10	t
11	f
12	t
13	f
14	t
15	f
16	t
17	f
18	t
19	f
20	t
21	f
22	t
23	f
24	t
25	f
26	t
27	f
28	t
29	f
30	t
31	f
32	t
33	f
34	t
35	f
36	t
37	f
38	t
39	f
40	t
41	f
42	t
43	f
44	t
45	f
46	t
47	f
48	t
49	f
50	t
\.


--
-- Data for Name: kept; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.kept (model) FROM stdin;
(halfspace,exponential,"{1,0}",0.5,0,replace,conditional,18,"{""grid"": {""group"": [1, 2, 4], ""numeric"": [1, 2, 3, 4, 6, 8, 12, 16], ""indicator"": [1, 2]}, ""prior"": {""power"": 1}, ""options"": {}, ""encoding"": {""features"": 2, ""intercept"": false}, ""dimension"": 2, ""log2_grid"": 4.64, ""conditional"": [""dimension of a row""]}")
\.


--
-- Data for Name: lent; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.lent (id, y) FROM stdin;
1	f
2	t
3	f
4	t
5	f
6	t
7	f
8	t
9	f
10	t
11	f
12	t
13	f
14	t
15	f
16	t
17	f
18	t
19	f
20	t
\.


--
-- Data for Name: quick; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.quick (features, label) FROM stdin;
{1,0}	t
{0,1}	f
{1,-1}	t
{0,0}	f
{1,1}	t
{0,-1}	f
{1,0}	t
{0,1}	f
{1,-1}	t
{0,0}	f
{1,1}	t
{0,-1}	f
{1,0}	t
{0,1}	f
{1,-1}	t
{0,0}	f
{1,1}	t
{0,-1}	f
{1,0}	t
{0,1}	f
\.


--
-- Data for Name: visit_early; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.visit_early (id, sex, smokes, ill) FROM stdin;
0	f	t	t
1	m	f	f
2	m	t	t
3	f	f	f
4	m	t	t
5	m	f	f
6	f	t	t
7	m	f	f
8	m	t	t
9	f	f	f
10	m	t	t
11	m	f	f
12	f	t	t
13	m	f	f
14	m	t	t
15	f	f	f
16	m	t	t
17	m	f	f
18	f	t	t
19	m	f	f
20	m	t	t
21	f	f	f
22	m	t	t
23	m	f	f
24	f	t	t
25	m	f	f
26	m	t	t
27	f	f	f
28	m	t	t
29	m	f	f
\.


--
-- Data for Name: visit_late; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.visit_late (id, sex, smokes, ill) FROM stdin;
30	f	t	t
31	m	f	f
32	m	t	t
33	f	f	f
34	m	t	t
35	m	f	f
36	f	t	t
37	m	f	f
38	m	t	t
39	f	f	f
40	m	t	t
41	m	f	f
42	f	t	t
43	m	f	f
44	m	t	t
45	f	f	f
46	m	t	t
47	m	f	f
48	f	t	t
49	m	f	f
50	m	t	t
51	f	f	f
52	m	t	t
53	m	f	f
54	f	t	t
55	m	f	f
56	m	t	t
57	f	f	f
58	m	t	t
59	m	f	f
\.


--
-- Name: budget_rows_id_seq; Type: SEQUENCE SET; Schema: dpobj; Owner: postgres
--

SELECT pg_catalog.setval('dpobj.budget_rows_id_seq', 8, true);


--
-- Name: identities_id_seq; Type: SEQUENCE SET; Schema: dpobj; Owner: postgres
--

SELECT pg_catalog.setval('dpobj.identities_id_seq', 14, true);


--
-- Name: job_rows_id_seq; Type: SEQUENCE SET; Schema: dpobj; Owner: postgres
--

SELECT pg_catalog.setval('dpobj.job_rows_id_seq', 1, true);


--
-- Name: ledger_events_id_seq; Type: SEQUENCE SET; Schema: dpobj; Owner: postgres
--

SELECT pg_catalog.setval('dpobj.ledger_events_id_seq', 1795771487314925, true);


--
-- Name: schedule_rows_id_seq; Type: SEQUENCE SET; Schema: dpobj; Owner: postgres
--

SELECT pg_catalog.setval('dpobj.schedule_rows_id_seq', 1, true);


--
-- PostgreSQL database dump complete
--


