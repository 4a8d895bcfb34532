"""The archive of finished matches: their values, tables, and readers."""
