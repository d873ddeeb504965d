"""Run the command line as ``python -m graphsvc``."""

from graphsvc.cli import main

main()
