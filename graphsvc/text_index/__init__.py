"""The text index of a generation: what can be found by its words, and the exact bytes in which it stands.

The index is derived: it is made from canonical evidence at a generation's watermark, lies in the generation's
folder, is published and retired with it, and can always be made again. Its engine finds candidates only; what
an answer shows and the order in which it does so is decided over the evidence's own bytes and in integers.

``engine`` and ``index`` are the only modules that import the engine.
"""
