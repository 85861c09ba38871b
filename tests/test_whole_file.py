"""Files that are complete or absent."""

import os
from pathlib import Path

import pytest

from gauss_opt.base.whole_file import whole_file


def write(path, words):
    with whole_file(path) as temporary:
        temporary.write_text(words, encoding="utf-8")


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    write(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write(path, "half of it \ud800")
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    write(link, "new")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "new"


def test_permissions_stay_as_they_were(tmp_path):
    path = tmp_path / "private.txt"
    write(path, "old")
    path.chmod(0o600)
    write(path, "new")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_device_is_written_to_and_not_replaced():
    write(Path(os.devnull), "nothing")
    assert not Path(os.devnull).is_file()
