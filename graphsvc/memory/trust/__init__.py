"""Read trust: which reads of a file an agent can still rely on.

An agent's ``read`` tool can answer "unchanged" or with a difference, if what it showed before is still in the
agent's context. Each result says what it was based on; replaying the results of one branch of a session tells
what a later read may be based on. ``entries`` reads a session as a tree, ``blocks`` checks what a result
states, ``lines`` counts the lines that were really shown, ``replay`` derives the trust.

Source of the formats and rules: the session files of pi, and pi-readcache.
"""
