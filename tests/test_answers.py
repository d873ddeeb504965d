"""Answers in a notebook: a table with its coverage, escaped, capped, and honest about both."""

from __future__ import annotations

from graphsvc.answers import Answer, Coverage


def test_a_notebook_shows_rows_and_what_they_rest_on() -> None:
    coverage = Coverage(generation=3, root_digest="ab" * 32, faults={"missing_blob": 2})

    shown = Answer("sessions", ("id", "files"), [("<b>s1</b>", ["a.py", "b.py"])], coverage)._repr_html_()

    assert "&lt;b&gt;s1&lt;/b&gt;" in shown
    assert "a.py, b.py" in shown
    assert "<caption>sessions: showing 1 of 1 rows" in shown
    assert "generation 3 (abababababab); faults: 2 missing_blob" in shown
    assert "<b>generation" not in shown


def test_what_is_stale_or_cut_off_stands_out() -> None:
    stale = Coverage(generation=3, is_current=False)
    capped = Coverage(generation=3, notes=("showing the first 1: raise --limit for more",))

    shown = [
        Answer("symbol", ("n",), [(n,) for n in range(99)], coverage)._repr_html_()
        for coverage in (stale, capped)
    ]

    assert all("showing 50 of 99 rows" in html and "<b>generation 3" in html for html in shown)
