"""Connect Four with Pop Out: the game, its computer player, its server and its clients."""
