"""A state machine over result folders: runs, kills at every moment, overwrites, runs of a tree, aggregations."""

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from causal_disent import errors, files
from causal_disent.cli.dlib import dlib_evaluate as evaluate
from causal_disent.runs.aggregate import aggregate_results
from causal_disent.runs.evaluate import evaluate_with_gin

EXAMPLES = int(os.environ.get("CAUSAL_DISENT_FUZZ_STORIES", 8))
NAMES = st.sampled_from(["a", "b", "c"])
BINDINGS = ["evaluation.evaluation_fn = @uc", "uc.num_train = 20"]
#: Functions of `files` before and after which a process is killed.
MOMENTS = st.tuples(
    st.sampled_from(["_check_absent", "_flush", "_put_in_place", "_exchange", "_flush_one", "remove", "_recover"]),
    st.integers(0, 3),
    st.booleans(),
)


def kill_at(moment):
    """End this process, as SIGKILL does, at one of the calls of a function."""
    name, number, before = moment
    real, calls = getattr(files, name), []

    def dying(*args, **kwargs):
        calls.append(name)
        if before and len(calls) > number:
            os._exit(9)
        result = real(*args, **kwargs)
        if len(calls) > number:
            os._exit(9)
        return result

    setattr(files, name, dying)


class ResultFolders(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.place = Path(tempfile.mkdtemp())
        for name in "abc":
            (self.place / "models" / name).mkdir(parents=True)
            (self.place / "models" / name / "representation.gin").write_text(
                "representation.name = 'perfect_oracle'\ndataset.name = 'synthetic_mini'\n"
            )
        (self.place / "out").mkdir()
        #: Name -> the seeds of which one must be there; None stands for nothing at all.
        self.possible = {name: {None} for name in "abc"}
        self.seed = 0

    def teardown(self):
        shutil.rmtree(self.place)

    def evaluate(self, name, overwrite):
        self.seed += 1
        bindings = [*BINDINGS, f"evaluation.random_seed = {self.seed}"]
        output = self.place / "out" / name
        evaluate_with_gin(self.place / "models" / name, output, overwrite=overwrite, gin_bindings=bindings)

    def found(self, name):
        """The seed of the result that is there, which must be whole."""
        folder = self.place / "out" / name / "results"
        if not os.path.lexists(folder.parent):
            return None
        parts = {f"{path.parent.name}/{path.name}" for path in folder.glob("*/*")}
        assert {"gin/evaluation.gin", "json/evaluation_results.json", "aggregate/evaluation.json"} <= parts
        config = json.loads((folder / "json/evaluation_config.json").read_text())
        assert "UC" in json.loads((folder / "json/evaluation_results.json").read_text())
        return int(config["evaluation.random_seed"])

    @rule(name=NAMES, overwrite=st.booleans())
    def run(self, name, overwrite):
        there = self.found(name) is not None
        try:
            self.evaluate(name, overwrite)
        except errors.OutputExists:
            assert there and not overwrite
        else:
            assert overwrite or not there
            self.possible[name] = {self.seed}
            assert not [
                path.name for path in (self.place / "out").glob(f".{name}.*")
            ]  # nor what the dead have left

    @rule(name=NAMES, overwrite=st.booleans(), moment=MOMENTS)
    def killed(self, name, overwrite, moment):
        before = self.found(name)
        child = os.fork()
        if not child:
            try:
                kill_at(moment)
                self.evaluate(name, overwrite)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        self.seed += 1
        self.possible[name] = {before, self.seed} if overwrite or before is None else {before}

    @rule(overwrite=st.booleans())
    def run_of_the_tree(self, overwrite):
        self.seed += 1
        there = {name: self.found(name) for name in "abc"}
        flags = [
            f"--input_glob={self.place}/models/*",
            f"--output_dir={self.place}/out",
            f"--overwrite={overwrite}",
        ]
        bindings = [*BINDINGS, f"evaluation.random_seed = {self.seed}"]
        # Results of other seeds are not taken for those that are asked for.
        refused = not overwrite and any(seed is not None for seed in there.values())
        done = evaluate([*flags, *(f"--gin_bindings={binding}" for binding in bindings)])
        assert done == (2 if refused else 0)
        if refused:
            return
        for name, seed in there.items():
            self.possible[name] = {self.seed if overwrite or seed is None else seed}

    @rule()
    def aggregation(self):
        there = [name for name in "abc" if self.found(name) is not None]
        pattern = f"{self.place}/out/*/results/aggregate/evaluation.json"
        if not there:
            with pytest.raises(errors.InvalidInput, match="No file matches"):
                aggregate_results(pattern)
            return
        table, left_out = aggregate_results(pattern)
        assert len(table) == len(there) and not left_out

    @invariant()
    def old_or_new_and_never_neither(self):
        for name, seeds in self.possible.items():
            assert self.found(name) in seeds


TestResultFolders = ResultFolders.TestCase
TestResultFolders.settings = settings(max_examples=EXAMPLES, stateful_step_count=12, deadline=None)
