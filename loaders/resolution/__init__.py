"""Resolution: where the references of a snapshot lead, without a compiler."""
