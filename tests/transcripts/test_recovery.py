"""Lines that are not one JSON object: what can be read is, the rest is a fault, and what follows goes on."""

from tests.transcripts.ingestion import Ingestion, jsonl


def prompt(uuid: str, text: str) -> dict:
    return {"type": "user", "uuid": uuid, "message": {"role": "user", "content": text}}


FAULT = ("fault_kind", "location", "is_recovered")


def test_two_objects_on_a_line_are_two_records() -> None:
    one, two = jsonl(prompt("1", "öne")).rstrip(), jsonl(prompt("2", "two")).rstrip()
    ingestion = Ingestion()

    work = ingestion.read(jsonl(prompt("0", "zero")) + one + two + b"\n")

    assert ingestion.rows("message", "entry_key", "text") == [("0", "zero"), ("1", "öne"), ("2", "two")]
    assert ingestion.evidence("entry")[1:] == [one, two]
    assert ingestion.rows("fault", *FAULT) == [("joined_records", "full.jsonl:2", True)]
    assert ingestion.evidence("fault") == [one + two]
    assert work.faults == {"joined_records": 1}


def test_a_joined_line_is_a_fault_of_every_document_that_holds_it() -> None:
    line = jsonl(prompt("1", "a")).rstrip() + jsonl(prompt("2", "b"))
    ingestion = Ingestion()

    ingestion.read(line, path="early")
    work = ingestion.read(jsonl(prompt("0", "z")) + line, path="late")

    assert ingestion.rows("fault", "location") == ["early:1", "late:2"]
    assert work.lines_parsed == 1


def test_a_line_cut_off_keeps_its_bytes_and_does_not_stop_the_rest() -> None:
    cut = b'{"type":"user","uuid":"1","mess'
    ingestion = Ingestion()

    ingestion.read(jsonl(prompt("0", "a")) + cut + b"\n" + jsonl(prompt("2", "b")))

    assert ingestion.rows("fault", *FAULT) == [("malformed_line", "full.jsonl:2", False)]
    assert ingestion.evidence("fault") == [cut]
    assert ingestion.rows("message", "text") == ["a", "b"]


def test_whole_objects_before_a_cut_are_read() -> None:
    ingestion = Ingestion()

    ingestion.read(jsonl(prompt("0", "a")) + jsonl(prompt("1", "b")).rstrip() + b'{"type":\n')

    assert ingestion.rows("message", "text") == ["a", "b"]
    assert ingestion.evidence("fault") == [b'{"type":']


def test_values_that_are_no_objects_are_malformed() -> None:
    ingestion = Ingestion()

    ingestion.read(jsonl(prompt("0", "a")) + b"[1,2]\nnull\n12\n")

    assert ingestion.rows("fault", "fault_kind") == ["malformed_line"] * 3


def test_text_that_cannot_be_encoded_is_replaced_and_said() -> None:
    ingestion = Ingestion()

    ingestion.read(
        jsonl(prompt("0", "a"))
        + b'{"type":"user","uuid":"1","message":{"role":"user","content":"lone \\ud800 half"}}\n'
        + b'{"type":"user","uuid":"2","message":{"role":"user","content":"latin \xe9"}}\n'
    )

    assert ingestion.rows("message", "text") == ["a", "lone \ufffd half", "latin \ufffd"]
    assert ingestion.rows("fault", "fault_kind", "is_recovered") == [("undecodable", True)] * 2


def test_escaped_nul_decodes() -> None:
    ingestion = Ingestion()

    ingestion.read(b'{"type":"user","uuid":"1","message":{"role":"user","content":"a\\u0000b"}}\n')

    assert ingestion.rows("message", "text") == ["a\x00b"]
    assert ingestion.rows("fault", "fault_kind") == []


def test_nesting_too_deep_to_decode_is_malformed() -> None:
    ingestion = Ingestion()

    ingestion.read(jsonl(prompt("0", "a")) + b'{"a":' * 100_000 + b"\n")

    assert ingestion.rows("fault", "fault_kind") == ["malformed_line"]


def test_values_of_unexpected_types_are_null() -> None:
    ingestion = Ingestion()

    ingestion.read(
        jsonl(
            {
                "type": "user",
                "uuid": 5,
                "timestamp": 7,
                "cwd": ["x"],
                "message": {"role": "user", "content": 3},
            },
            {"type": "assistant", "message": "text", "isSidechain": "yes"},
            {
                "type": "assistant",
                "message": {
                    "role": "assistant",
                    "usage": {"input_tokens": 2**80, "output_tokens": "many"},
                    "content": [None, "bare", {"type": "tool_use", "name": 4, "input": []}],
                },
            },
            {"type": "progress", "data": {"type": "agent_progress", "message": None}},
        )
    )

    assert ingestion.rows("entry", "occurred_at", "cwd", "is_sidechain") == [(None, None, None)] * 4
    assert ingestion.rows("token_usage", "input_tokens", "output_tokens") == [(None, None)]
    assert ingestion.rows("tool_call", "name") == [""]
    assert ingestion.rows("message", "text") == ["bare"]
