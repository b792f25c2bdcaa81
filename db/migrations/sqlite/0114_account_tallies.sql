-- The numbers of accounts by mask, and by facet and mask. With one writer, sums are kept
-- directly.
CREATE VIEW account_tallies_now AS SELECT mask, n FROM account_tallies;
CREATE VIEW account_facet_tallies_now AS SELECT facet, mask, n FROM account_facet_tallies;
