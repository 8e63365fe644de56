-- The columns of UCI Adult's raw file, in its order.
CREATE TABLE census_raw (
  age text, workclass text, fnlwgt text, education text, education_num text, marital text,
  occupation text, relationship text, race text, sex text, capital_gain text, capital_loss text,
  hours text, country text, class text
);
