"""User accounts: names, passwords, where they are kept, and the operator's commands."""
