"""Every metric at once, on two matrices."""

import json
import subprocess
import sys
import threading
import warnings
from dataclasses import asdict, dataclass
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import adapter, score
from causal_disent.errors import InvalidInput, UnknownName
from causal_disent.metrics import certainty, fitting
from causal_disent.metrics.contract import Result, metric
from causal_disent.metrics.draw import Points, points
from causal_disent.registry import registry
from causal_disent.report.panel import CLASSIC_METRICS, PANEL
from causal_disent.runs.score import NOT_ASKED

RNG = np.random.RandomState(0)
FACTORS = RNG.randint(3, size=(240, 2))
CODES = FACTORS + 0.2 * RNG.normal(size=(240, 2))
ANGLES = np.column_stack([FACTORS[:, 0], RNG.rand(240)])
BY_ARRAYS = sorted(
    entry.name
    for entry in registry.entries("metrics")
    if "function" in entry.facts and entry.facts["needs"].arrays_suffice
)


@dataclass(frozen=True)
class Found(Result):
    score: float


class Decoder(Points):
    words = "a decoder, <b>say</b>"
    arrays_suffice = False


@pytest.fixture
def register():
    """Make a function known as a metric, for one test."""
    undo = []

    def known(function, name="stand_in", needs=None, **facts):
        declared = metric(
            name,
            needs=needs or points(),
            reports={name: "score"},
            **{"range": (0, 1), "summary": "is it?", **facts},
        )(function)
        undo.extend(registry.replace(entry) for entry in adapter.entries_of(declared, "a_plugin"))
        return name

    yield known
    for restore in reversed(undo):
        restore()


@pytest.mark.parametrize("name", BY_ARRAYS)
def test_the_score_is_that_of_the_function(name):
    function = registry.get("metrics", name).facts["function"]
    found = score(CODES, FACTORS, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert found.results[name].score == pytest.approx(function(CODES, FACTORS).score, nan_ok=True)
    assert found.table.loc[name, "score"] == found.results[name].score


SHARING = (
    "mig", "mig_sup", "dcimig", "jemmig", "modularity_explicitness", "irs", "uc", "sap_score", "unified_scores",
    "dci", "downstream_task", "reduced_downstream_task",
)  # fmt: skip


def test_shared_work_changes_no_number():
    """Together, metrics have the results that each has by itself, with its interval and its chance level."""
    given = {"fast": True, "bootstrap": 4, "chance": 4, "bins": 5}
    together = score(CODES, FACTORS, SHARING, **given)
    for name in SHARING:
        alone = score(CODES, FACTORS, name, **given)
        of_table = ["p", "verdict", "remark"]  # corrected for the metrics of the table
        pd.testing.assert_frame_equal(
            together.table.loc[[name]].drop(columns=of_table), alone.table.drop(columns=of_table)
        )
        np.testing.assert_equal(asdict(together.results[name]), asdict(alone.results[name]))


def test_a_fit_that_several_metrics_need_is_made_once(monkeypatch):
    fitted, fit = [], fitting._fit

    def counted(model, problem, finish):
        fitted.append((problem.codes.shape[1], problem.values.tobytes()))
        return fit(model, problem, finish)

    monkeypatch.setattr(fitting, "_fit", counted)
    score(CODES, FACTORS, ["dci", "downstream_task", "unified_scores"], fast=True)
    assert len(fitted) == FACTORS.shape[1]
    fitted.clear()
    score(CODES, FACTORS, ["dci", "reduced_downstream_task"], fast=True)
    assert len(fitted) == FACTORS.shape[1] + FACTORS.shape[1] ** 2  # those without one of the codes


def test_every_metric_has_a_score_or_a_reason():
    found = score(CODES, FACTORS, "all", fast=True)
    assert sorted(found.table.index) == registry.names("metrics")
    assert set(found.results) == set(BY_ARRAYS)
    assert set(found.left_out) == set(registry.names("metrics")) - set(BY_ARRAYS)
    assert all(found.left_out.values())
    assert found.table["score"].notna().sum() == len(found.results)
    assert max(map(len, str(found).splitlines())) <= 100


#: The same numbers in other hands.
CONTAINERS = {
    "lists": lambda values: values.tolist(),
    "float32": lambda values: values.astype(np.float32),
    "objects": lambda values: values.astype(object),
    "fortran": np.asfortranarray,
    "masked": np.ma.masked_array,
    "frame": pd.DataFrame,
    "nullable": lambda values: pd.DataFrame(values).convert_dtypes(),
    "columns": lambda values: {str(i): column for i, column in enumerate(values.T)},
    "torch": lambda values: pytest.importorskip("torch").tensor(values.astype(np.float64), requires_grad=True),
}


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(sorted(CONTAINERS)), st.sampled_from(sorted(CONTAINERS)), st.integers(0, 10))
def test_the_same_numbers_give_the_same_scores(of_codes, of_factors, seed):
    rng = np.random.RandomState(seed)
    factors = rng.randint(3, size=(90, 2))
    codes = (factors + rng.normal(size=(90, 2))).astype(np.float32)
    quick = [name for name in BY_ARRAYS if name in ("irs", "jemmig", "infomec", "mig", "uc")]
    expected = score(codes, factors, quick)
    found = score(CONTAINERS[of_codes](codes), CONTAINERS[of_factors](factors), quick)
    pd.testing.assert_frame_equal(found.table, expected.table)


def test_text_categories_and_truth_values_are_labels():
    named = pd.DataFrame(
        {"object": np.array(["ball", "cone", "cube"])[FACTORS[:, 0]], "red": FACTORS[:, 1] > 0, "constant": "x"}
    )
    found = score(CODES, named, ["mig", "irs"])
    numbers = np.column_stack([FACTORS[:, 0], FACTORS[:, 1] > 0]).astype(int)
    pd.testing.assert_series_equal(found.table["score"], score(CODES, numbers, ["mig", "irs"]).table["score"])
    assert found.points.factors.categories["object"] == ("ball", "cone", "cube")
    assert "2 factors: object, red" in str(found)
    assert "note: left out, for it has one value only: constant" in str(found)


def test_values_that_are_no_whole_numbers_are_labels_too():
    halves = score(CODES, FACTORS / 2, ["mig", "irs", "dci"], fast=True)
    whole = score(CODES, FACTORS, ["mig", "irs", "dci"], fast=True)
    pd.testing.assert_frame_equal(halves.table, whole.table)


def test_a_score_does_not_depend_on_the_others():
    together = score(CODES, FACTORS, ["sap_score", "dci"], 3, fast=True)
    assert together.results["dci"].score == score(CODES, FACTORS, "dci", 3, fast=True).results["dci"].score
    generators = [np.random.RandomState(5) for _ in range(2)]
    first, second = (score(CODES, FACTORS, "dci", generator, fast=True) for generator in generators)
    assert first.results["dci"].score == second.results["dci"].score


def test_a_metric_that_fails_does_not_stop_the_others(register):
    def fails(codes, factors):
        codes[:] = factors[:] = 0
        raise ZeroDivisionError("by <nothing>\nat all")

    found = score(CODES, FACTORS, [register(fails), "mig"])
    assert found.left_out == {"stand_in": "cannot be calculated on these points: by <nothing>"}
    assert found.results["mig"].score == score(CODES, FACTORS, "mig").results["mig"].score
    assert "failed: stand_in: cannot be calculated on these points: by <nothing>" in str(found)
    assert "by &lt;nothing&gt;" in found.to_html()


def test_an_interruption_leaves_what_has_been_measured(register):
    def interrupted(codes, factors):
        raise KeyboardInterrupt

    threads, name = threading.active_count(), register(interrupted)
    with pytest.raises(KeyboardInterrupt):  # there is nothing yet
        score(CODES, FACTORS, [name])
    found = score(CODES, FACTORS, ["mig", name, "irs"])
    assert (
        set(found.results) == {"mig"}
        and found.results["mig"].score == score(CODES, FACTORS, "mig").results["mig"].score
    )
    assert set(found.left_out) == {name, "irs"} and found.stopped and found.stopped in found.left_out["irs"]
    assert np.isnan(found.table.loc["mig", "low"]) and found.stopped in found.table.loc["mig", "remark"]
    assert json.loads(found.to_json())["stopped"] == found.stopped
    assert threading.active_count() == threads


def test_a_budget_ends_what_takes_too_long(register):
    def endless(codes, factors):
        while True:
            threading.Event().wait(0.01)

    threads, name = threading.active_count(), register(endless, fast={})  # one of those that take long
    alone = score(CODES, FACTORS, "mig").results["mig"]
    found = score(CODES, FACTORS, ["mig", name], budget=8, bootstrap=0, chance=0)
    assert set(found.left_out) == {name} and found.stopped in found.left_out[name]
    assert found.results["mig"].score == alone.score
    assert threading.active_count() == threads


def test_a_budget_cuts_resamples_and_says_so(register):
    def waits(codes, factors):
        threading.Event().wait(0.2)
        return Found(float(codes.mean()))

    found = score(CODES, FACTORS, register(waits), budget=4, bootstrap=1000, chance=1000)
    (row,) = found.rows
    assert row.sure.resamples < 1000 and row.sure.permutations < 1000 and row.sure.cut
    assert f"{row.sure.resamples} of 1000 resamples" in row.remark


def test_a_budget_without_time_for_a_permutation_warns_of_nothing(monkeypatch):
    """Of no permutation there is no mean."""
    monkeypatch.setattr(certainty, "score_permutations", lambda *_, **__: np.zeros(0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = score(CODES, FACTORS, ["mig", "r2"], bootstrap=0, progress=False)
    assert [row.sure.permutations for row in found.rows] == [0, 0] and found.table["p"].isna().all()


def test_a_budget_that_suffices_changes_nothing():
    found, alone = (score(CODES, FACTORS, ["mig", "irs", "mcc"], **given) for given in ({"budget": 1000}, {}))
    pd.testing.assert_frame_equal(found.table, alone.table)
    assert not found.stopped


@pytest.mark.parametrize("budget", [0, -1, float("nan"), float("inf"), "60", True])
def test_a_budget_is_a_number_of_seconds(budget):
    with pytest.raises(InvalidInput, match="budget"):
        score(CODES, FACTORS, budget=budget)


def test_a_score_that_is_not_defined_is_no_number(register):
    found = score(CODES, FACTORS, [register(lambda codes, factors: Found(np.nan)), "mig"])
    assert found.left_out == {"stand_in": "it is not defined on these points"}


def test_next_to_nothing_has_no_sign(register):
    found = score(CODES, FACTORS, register(lambda codes, factors: Found(-1e-9)))
    assert " 0.000" in str(found) and "-0.000" not in found.to_html() + str(found)


def test_what_a_metric_warns_of_stands_beside_its_score(register):
    def warns(codes, factors):
        warnings.warn("stand_in: so and so", stacklevel=2)
        return Found(0.5)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = score(CODES, FACTORS, register(warns))
    assert found.table.loc["stand_in", "remark"] == "so and so" and "\nstand_in: so and so" in str(found)


def test_what_needs_more_than_arrays(register):
    name = register(lambda codes, factors: Found(1.0), needs=Decoder())
    assert score(CODES, FACTORS, "all", fast=True).left_out[name] == "needs a decoder, <b>say</b>"
    with pytest.raises(InvalidInput, match="'stand_in' needs a decoder.*get_metric.*suffice for: .*irs, .*mig"):
        score(CODES, FACTORS, ["mig", name])


def test_continuous_factors_are_refused_by_metrics_of_discrete_ones():
    found = score(CODES, ANGLES, ["factor_vae_score", "sap_score"])
    assert list(found.results) == ["sap_score"]
    said = found.left_out["factor_vae_score"]
    assert "nearly as many values as there are points: factor_1. Put them into bins (`bins=10`" in said
    assert "a metric that takes them: dci, " in said and "factor_vae_score" not in said
    with pytest.raises(InvalidInput, match="No metric could be measured.\n.*factor_vae_score: takes discrete"):
        score(CODES, ANGLES, "factor_vae_score")


def test_continuous_factors_in_bins():
    found = score(CODES, ANGLES, ["mig", "sap_score"], bins=4)
    quarters = np.argsort(np.argsort(ANGLES[:, 1])) // 60
    by_hand = score(CODES, np.column_stack([FACTORS[:, 0], quarters]), "mig")
    assert found.results["mig"].score == by_hand.results["mig"].score
    assert found.table.loc["mig", "remark"] == "factor_1 in 4 equally filled bins"
    assert found.table.loc["sap_score", "remark"] == ""  # it takes them as they are


def test_how_continuous_factors_are_given_is_declared(register):
    seen = {}

    def takes(codes, factors, *, treat=""):
        seen[treat] = factors
        return Found(1.0)

    register(takes, "both", takes={"discrete": {}, "continuous": {"treat": "as numbers"}})
    score(CODES, FACTORS, "both", bootstrap=0)
    score(CODES, ANGLES, "both", bootstrap=0)
    np.testing.assert_array_equal(seen[""], FACTORS)
    np.testing.assert_array_equal(seen["as numbers"], ANGLES)
    assert seen[""].dtype == np.int64


def test_metrics_that_calculate_with_values_leave_out_text(register):
    register(lambda codes, factors: Found(1.0), "numbers", takes=("discrete", "continuous"))
    register(lambda codes, factors: Found(1.0), "none", takes=())
    shapes = pd.DataFrame({"object": np.array(list("abc"))[FACTORS[:, 0]]})
    found = score(CODES, shapes, ["numbers", "none", "mig"])
    assert found.left_out == {"numbers": "takes numbers, and the values of these have no order: object"}
    ordered = shapes.astype(pd.CategoricalDtype(list("abc"), ordered=True))
    assert "numbers" in score(CODES, ordered, ["numbers"]).results


def test_columns_that_say_nothing():
    codes = np.column_stack([CODES, np.ones(240)])
    factors = pd.DataFrame({"size": FACTORS[:, 0], "file": [f"{i}.png" for i in range(240)]})
    found = score(codes, factors, "mig")
    assert found.points.factors.names == ("size",)
    assert "note: the same at all points, a dead code: code_2" in str(found)
    assert "hardly varies" not in str(found)
    noise = 0.001 * np.random.default_rng(0).normal(size=240)
    faint = score(np.column_stack([CODES, 0.001 * CODES[:, 0], noise]), factors, "mig", bootstrap=0, chance=0)
    (note,) = (note for note in faint.points.notes if "dead code" in note)
    assert note.endswith(": code_3"), "another unit makes no code dead"
    assert "note: left out, for nearly every point has a name of its own: file" in str(found)
    with pytest.raises(
        InvalidInput, match="no factor to measure by; left out, for it has one value only: factor_0"
    ):
        score(CODES, np.ones((240, 1)))
    with pytest.raises(InvalidInput, match="Every code is the same at all points"):
        score(np.ones((240, 2)), FACTORS)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"metrics": "migg"}, UnknownName, "Unknown metric 'migg'. Did you mean 'mig'"),
        ({"metrics": []}, InvalidInput, "an empty list"),
        ({"random_state": -1}, InvalidInput, "a seed from 0 to 2.*given: -1"),
        ({"random_state": "0"}, InvalidInput, "given: '0'"),
        ({"bins": 1}, InvalidInput, "`bins` must be a whole number, at least 2"),
    ],
)
def test_arguments_that_are_wrong(options, kind, message):
    with pytest.raises(kind, match=message):
        score(CODES, FACTORS, **options)


def test_matrices_that_are_wrong():
    with pytest.raises(InvalidInput, match="`codes` seems transposed"):
        score(CODES.T, FACTORS)
    with pytest.raises(InvalidInput, match="missing.npy cannot be used"):
        score("missing.npy", FACTORS)


def test_fast_is_said_and_about_the_same():
    names = [name for name in BY_ARRAYS if registry.get("metrics", name).facts["fast"]]
    assert "dci" in names and "mig" not in names
    found, usual = score(CODES, FACTORS, [*names, "mig"], fast=True), score(CODES, FACTORS, [*names, "mig"])
    assert found.results["dci"].estimator == "histogram_boosting"
    said = f"by histogram boosting; {NOT_ASKED}"
    assert found.table["remark"].drop("mig").to_dict() == dict.fromkeys(names, said)
    np.testing.assert_allclose(found.table["score"], usual.table["score"], atol=0.03)


def test_what_takes_long_comes_last():
    assert list(score(CODES, FACTORS, ["dci", "mig"], fast=True).table.index) == ["mig", "dci"]


class Balance(HTMLParser):
    """Whether every tag is closed, and what text there is."""

    def __init__(self, page):
        super().__init__()
        self.open, self.text = [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        assert "src" not in dict(attrs) and (tag == "a" or "href" not in dict(attrs))  # nothing is loaded
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_the_page(register):
    register(lambda codes, factors: Found(0.25), "own", summary="<script>alert(1)</script>", better="lower")
    factors = pd.DataFrame(FACTORS, columns=["<img src=x>", "b"])
    found = score(CODES, factors, ["mig", "own"])
    page = Balance(found.to_html())
    assert not page.open and "<img src=x>, b" in page.text and "<script>alert(1)" in page.text
    assert "width:75.0%" in found.to_html()
    assert found._repr_html_() in found.to_html() and "<html" not in found._repr_html_()


def test_the_picture(register):
    ends = {"unit": (0, 1), "signed": (-1, 1), "open": (0, float("inf")), "down": (-float("inf"), 1)}
    for name, ends_of in ends.items():
        better = "lower" if name == "open" else "higher"
        register(lambda codes, factors: Found(0.5), name, range=ends_of, better=better)
    found = score(CODES, pd.DataFrame(FACTORS, columns=["$a$", "b"]), list(ends))
    axes = found.plot().axes[0]
    widths = [bar.get_width() for bar in axes.patches]
    assert len(widths) == 6 and widths[1::2] == [width / 2 for width in widths[::2]]  # of `open` there is no worst
    shown = [text.get_text() for text in axes.texts]
    assert {*ends, "0.500", "is it? (lower is better)"} <= set(shown) and shown[0].endswith(r": \$a\$, b")


def test_matplotlib_waits_for_the_picture():
    code = (
        "import numpy as np, sys\nfrom causal_disent import score\n"
        "values = np.arange(40)[:, None] % 4\n"
        "scores = score(values, values, 'irs')\n"
        "str(scores), scores.to_html(), scores.table\n"
        "print('matplotlib' in sys.modules, 'torch' in sys.modules)\n"
        "scores.plot()\n"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]


@pytest.mark.parametrize(
    "metrics", ["irs, mig", "irs,mig,", ("irs", "mig"), {"irs", "mig"}, (name for name in ("irs", "mig"))]
)
def test_metrics_are_named_in_any_way(metrics):
    factors = np.indices((4, 4)).reshape(2, -1).T
    scores = score(factors * 2.0, factors, metrics=metrics, bootstrap=0, chance=0)
    assert set(scores.table.index) == {"irs", "mig"}


@pytest.mark.parametrize("seed", [None, np.random.SeedSequence(3), np.random.default_rng(3)])
def test_every_kind_of_seed_is_taken(seed):
    factors = np.indices((4, 4)).reshape(2, -1).T
    assert score(factors * 2.0, factors, "mig", seed, chance=0).table["score"]["mig"] == 1


def test_scores_as_json_and_latex():
    factors = np.indices((4, 4)).reshape(2, -1).T
    scores = score(factors * 2.0, factors, metrics="mig,modularity_explicitness", bootstrap=20)
    found = json.loads(scores.to_json())
    assert found["results"]["mig"]["per_factor"] == [1.0, 1.0] and found["scores"]["mig"] == 1
    rows = scores.to_latex().splitlines()
    assert rows[0] == r"\begin{tabular}{lrrr}" and rows[5].startswith(r"modularity\_explicitness & ")
    assert scores.plot()._repr_png_().startswith(b"\x89PNG")


def test_progress_can_be_switched_off(capfd, monkeypatch):
    monkeypatch.setattr("causal_disent.progress.DELAY", 0.0)
    factors = np.indices((4, 4)).reshape(2, -1).T
    for progress in (True, False):
        score(factors * 2.0, factors, metrics=["sap_score"], chance=0, progress=progress)
        assert bool(capfd.readouterr().err) is progress


class TestPanel:
    def test_a_metric_answers_each_question(self):
        found = score(CODES, FACTORS, bootstrap=0, chance=19)
        assert list(found.answers) == [question.words for question in PANEL]
        assert found.answers["Can the factors be read off the codes?"] == "yes"
        assert all(question.words[:20] in str(found) for question in PANEL)

    def test_noise_is_no_better_than_chance(self):
        noise = np.random.default_rng(0).normal(size=(240, 3))
        found = score(noise, FACTORS, bootstrap=0, chance=100)
        assert set(found.answers.values()) == {"no better than chance"}

    def test_few_points_say_little(self):
        factors = np.random.RandomState(0).randint(4, size=(200, 3))
        codes = factors + 0.1 * np.random.RandomState(1).normal(size=(200, 3))
        answers = score(codes[:5], factors[:5], bootstrap=10, chance=10).answers
        assert answers["Can the factors be read off the codes?"] != "yes"  # chance is far below 0
        assert " 0 of " not in answers["Do factors have separate codes?"]

    def test_mixed_codes_are_named(self):
        generator = np.random.default_rng(0)
        factors = generator.integers(4, size=(500, 3))
        codes = factors + 0.1 * generator.normal(size=(500, 3))
        codes[:, 1] += 0.7 * factors[:, 2]
        answers = score(codes, factors, bootstrap=0, chance=19).answers
        assert answers["Has each factor one code?"].startswith("partly: other codes know of some factors")
        assert "factor_2" in answers["Has each factor one code?"]

    def test_factors_of_one_code_are_named(self):
        confounded = FACTORS[:, [0, 0, 1]]
        found = score(CODES, confounded, bootstrap=0, chance=0)
        answer = found.answers["Do factors have separate codes?"]
        assert (
            answer.startswith("partly: some factors have the same best code") and "factor_1 and factor_0" in answer
        )

    def test_factors_without_order_have_another_metric(self):
        table = pd.DataFrame({"shape": np.array(["a", "b", "c"])[FACTORS[:, 0] % 3], "size": FACTORS[:, 1]})
        found = score(CODES, table, bootstrap=0, chance=0, fast=True)
        assert "r2" not in found.results and "downstream_task" in found.results and "dcimig" in found.results

    def test_sets_of_metrics_by_name(self):
        assert set(CLASSIC_METRICS) <= set(registry.names("metrics"))
        named = {name for question in PANEL for name in question.metrics}
        assert named <= set(BY_ARRAYS)
        assert list(score(CODES, FACTORS, "panel", bootstrap=0, chance=0).results) == [q.metrics[0] for q in PANEL]

    def test_sets_and_names_together(self):
        found = score(CODES, FACTORS, ["sap_score", "panel", "mig"], bootstrap=0, chance=0)
        assert list(found.results)[:2] == ["sap_score", "r2"] and list(found.results).count("mig") == 1
        assert set(score(CODES, FACTORS, ["mig", "dlib"], bootstrap=0, chance=0, fast=True).results) == set(
            CLASSIC_METRICS
        )


def test_the_table_of_a_notebook_shows_intervals_and_chance_and_leads_to_papers():
    found = score(CODES, FACTORS, ["mig", "jemmig", "unsupervised_metrics"], bootstrap=10, chance=20)
    table = found._repr_html_()
    places = {name: found.table.loc[name] for name in ("mig", "jemmig")}
    for row in places.values():
        assert f"<i style='left:{100 * row['low']:.1f}%;width:{100 * (row['high'] - row['low']):.1f}%'>" in table
        assert f"<b style='left:{100 * max(row['chance'], 0):.1f}%'>" in table
    assert "<a href='https://arxiv.org/abs/1802.04942' title='gap between" in table
    plain = score(CODES, FACTORS, "mig", bootstrap=0, chance=0)._repr_html_()
    assert "<i style" not in plain and "<b style" not in plain
