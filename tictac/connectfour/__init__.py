"""Connect Four with Pop Out over I32CFSP: its server and its clients."""
