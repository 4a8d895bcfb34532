"""Strangers' programs: started by a supervisor, which ends all that they have started."""
