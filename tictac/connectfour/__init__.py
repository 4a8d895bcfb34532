"""The name of Connect Four at one keyboard."""
