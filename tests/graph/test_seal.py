"""A seal finds every change of a closed file, and hashes only when it has to."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from graphsvc.errors import Corrupt
from graphsvc.graph import seal as sealing
from graphsvc.graph.seal import Seal, check, check_once_per_boot, seal


@pytest.fixture
def file(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy2(built, tmp_path / "graph.kuzu"))


def keep_times(path: Path, expected: Seal) -> None:
    os.utime(path, ns=(expected.mtime_ns, expected.mtime_ns))


def test_every_flipped_bit_is_found(file: Path) -> None:
    expected = seal(file)
    rng = random.Random(1)
    for position in [0, expected.size - 1, *rng.sample(range(expected.size), 60)]:
        bit = 1 << rng.randrange(8)
        with file.open("r+b") as handle:
            handle.seek(position)
            was = handle.read(1)[0]
            handle.seek(position)
            handle.write(bytes([was ^ bit]))
        keep_times(file, expected)
        with pytest.raises(Corrupt, match="BLAKE3"):
            check(file, expected, deep=True)
        with file.open("r+b") as handle:
            handle.seek(position)
            handle.write(bytes([was]))

    assert check(file, expected, deep=True)


def test_sound_file_is_hashed_only_when_asked(file: Path) -> None:
    expected = seal(file)

    assert check(file, expected, deep=False) is False
    assert check(file, expected, deep=True) is True


def test_moved_time_leads_to_a_hash(file: Path) -> None:
    expected = seal(file)
    os.utime(file, ns=(1, 1))

    assert check(file, expected, deep=False) is True

    data = bytearray(file.read_bytes())
    data[100] ^= 1
    file.write_bytes(data)
    with pytest.raises(Corrupt, match="BLAKE3"):
        check(file, expected, deep=False)


@pytest.mark.parametrize("change", [-1, 1])
def test_other_size_is_found_without_a_hash(file: Path, change: int) -> None:
    expected = seal(file)
    os.truncate(file, expected.size + change)
    keep_times(file, expected)

    with pytest.raises(Corrupt, match=f"has {expected.size + change} bytes"):
        check(file, expected, deep=False)


def test_missing_file_is_damage(tmp_path: Path) -> None:
    with pytest.raises(Corrupt, match="cannot be read"):
        check(tmp_path / "none", Seal(1, 1, "00"), deep=False)


@pytest.mark.parametrize("ending", [".wal", ".shadow", ".tmp"])
def test_write_ahead_file_beside_it_is_damage(file: Path, ending: str) -> None:
    expected = seal(file)
    Path(f"{file}{ending}").touch()

    with pytest.raises(Corrupt, match=f"{ending} lies beside it"):
        check(file, expected, deep=False)


def test_hashes_once_per_boot(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    boot = tmp_path / "boot_id"
    monkeypatch.setattr(sealing, "_BOOT_ID", boot)
    expected = seal(file)
    hashed = []
    for boot_id in ("first", "first", "second", "second"):
        boot.write_text(boot_id)
        hashed.append(check_once_per_boot(file, expected))

    assert hashed == [True, False, True, False]
    assert [path.name for path in tmp_path.glob("graph.kuzu?*")] == ["graph.kuzu.checked"]


def test_marker_of_another_file_does_not_count(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boot = tmp_path / "boot_id"
    boot.write_text("one")
    monkeypatch.setattr(sealing, "_BOOT_ID", boot)
    expected = seal(file)
    check_once_per_boot(file, expected)
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    other = seal(file)
    Path(f"{file}.checked").write_bytes(b"\xff not a marker")

    assert check_once_per_boot(file, other) is True
    with pytest.raises(Corrupt):
        check_once_per_boot(file, expected)


def test_always_hashes_where_boots_cannot_be_told_apart(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "_BOOT_ID", tmp_path / "none")
    expected = seal(file)

    assert [check_once_per_boot(file, expected) for _ in range(2)] == [True, True]
    assert not list(tmp_path.glob("*.checked"))


def test_hashes_though_the_marker_cannot_be_written(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boot = tmp_path / "boot_id"
    boot.write_text("one")
    monkeypatch.setattr(sealing, "_BOOT_ID", boot)
    Path(f"{file}.checked").mkdir()

    assert [check_once_per_boot(file, seal(file)) for _ in range(2)] == [True, True]
