"""One spoiled result file is left out and named; the rest is gathered, in either format."""

import pandas as pd
import pytest

from causal_disent.cli.dlib import dlib_aggregate_results as main

LEFT_OUT = {
    "surrogate": b'{"a": "\\ud800"}',
    "surrogate in a key": b'{"\\ud800": 1}',
    "surrogate in a list": b'{"a": ["\\ud800"]}',
    "400 digits": b'{"a": ' + b"9" * 400 + b"}",
    "5000 digits": b'{"a": ' + b"9" * 5000 + b"}",
    "list": b"[1]",
    "empty": b"{}",
    "deep": b"[" * 100_000,
    "not text": b"\x00\xff",
    "object inside": b'{"a": {"b": 1}}',
}
TAKEN = {
    "not a number": b'{"a": NaN}',
    "infinite": b'{"a": 1e999}',
    "control characters": b'{"\\u001b[2J\\nforged": "\\u0000"}',
    "mixed list": b'{"a": [1, "x", null, [2]]}',
    "a path of its own": b'{"path": 5}',
}


@pytest.mark.parametrize("ending", ["json", "parquet"])
@pytest.mark.parametrize("name", [*LEFT_OUT, *TAKEN])
def test_one_spoiled_file(name, ending, tmp_path, capsys):
    (tmp_path / "good.json").write_text('{"a": 1.0}')
    (tmp_path / "odd.json").write_bytes({**LEFT_OUT, **TAKEN}[name])
    output = tmp_path / "out" / f"table.{ending}"
    assert main([f"--result_file_pattern={tmp_path}/*.json", f"--output_path={output}"]) == 0
    said = "".join(capsys.readouterr())
    assert ("odd.json" in said) == (name in LEFT_OUT) and "\x1b" not in said
    read = pd.read_json if ending == "json" else pd.read_parquet
    assert len(read(output)) == (1 if name in LEFT_OUT else 2)
