"""Search: one implementation for the command line, notebooks and whatever comes after them.

A request is frozen; channels give candidates, each whole, capped or unavailable; proven copies collapse; points add
up as integers; the order is total; caps leave out and say so; the page and the way to go on are fixed; only then is
evidence read, in place.
"""
