raise RuntimeError("no\nluck today")
