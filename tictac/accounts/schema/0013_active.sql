-- Only PostgreSQL has several processes, and a file of this name for them. Of these one is active,
-- so a tournament needs no host of its own.

ALTER TABLE tournaments DROP COLUMN host;
ALTER TABLE tournaments DROP COLUMN until;
