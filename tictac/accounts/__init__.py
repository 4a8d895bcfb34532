"""User accounts: names, passwords, storage, and the operator's commands."""
