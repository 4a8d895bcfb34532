-- Only PostgreSQL has nodes, and a file of this name for them: both databases have as many steps.

SELECT 1 WHERE 0;
