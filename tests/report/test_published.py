import math
import re
from pathlib import Path

import pytest

from causal_disent import errors
from causal_disent.data.rule_sets import RULE_SETS
from causal_disent.metrics.crl import KEYS
from causal_disent.registry import registry
from causal_disent.report import published as module
from causal_disent.report.published import (
    published,
    published_metrics,
    published_models,
    published_table,
    published_tables,
    published_text,
)

ALL = published()
#: Rows times columns of each printed table, counted in the papers.
COUNTS = {
    "aaai_1": 9 * 6,
    "aaai_2": 8 * 6,
    "aaai_3": 8 * 6,
    "aaai_7": 4 * 4,
    "aaai_9": 8 * 6,
    "aaai_11": 8 * 6,
    "workshop_2": 2 * 8 * 5,
    "workshop_appendix_2": 4 * 3,
    "workshop_appendix_3": 8 * 5,
    "workshop_appendix_4": 8 * 6,
    "workshop_appendix_5": 8 * 6,
    "workshop_appendix_7": 8 * 6,
    "workshop_appendix_9": 8 * 6,
    "workshop_appendix_11": 8 * 6,
    "shadow_3": 4 * 3,
    "shadow_4": 3,
    "shadow_1": 6 * 7,
    "aaai_4": 12 * 7,
    "workshop_appendix_1": 12 * 9,
    "shadow_5": 4 * 3,
    "shadow_6": 2,
    "shadow_7": 4 * 3,
    "shadow_8": 3,
    "shadow_9": 6 * 12,
    "shadow_10": 6 * 12,
}
#: Typed from the papers: table, data set, model, metric, rho, what is printed.
SPOTS = [
    ("aaai_1", "candle", "Factor-VAE", "IRS", None, "0.88"),
    ("aaai_1", "candle", "SS-FVAE-BB", "UC", 7, "0.18"),
    ("aaai_1", "candle", "SS-Factor-VAE", "UC", 5, "0.24"),
    ("aaai_2", "dsprites_full", "SS-beta-TCVAE", "DCI(D)", None, "0.50"),
    ("aaai_2", "dsprites_full", "SS-DIP-VAE", "CG", 2, "0.06"),
    ("aaai_3", "mpi3d_toy", "Factor-VAE", "UC", 1, "0.71"),
    ("aaai_4", "candle", "", "graph depth", None, "2"),
    ("aaai_4", "isaac3d", "", "complex background", None, "1"),
    ("aaai_4", "falcor3d", "", "foreground object", None, "0"),
    ("workshop_appendix_1", "mpi3d_real", "", "width", None, "512"),
    ("shadow_1", "celeba_beard", "", "images", None, "202599"),
    ("shadow_1", "pendulum", "", "nuisance", None, "0"),
    ("aaai_7", "synthetic", "beta-TCVAE", "DCI(D)", None, "0.13"),
    ("aaai_7", "synthetic", "DIP-VAE", "CG", 1, "0.03"),
    ("aaai_9", "dsprites_full", "Factor-VAE", "UC", 1, "0.86"),
    ("aaai_11", "mpi3d_toy", "DIP-VAE", "DCI(D)", None, "0.005"),
    ("workshop_2", "candle_v1", "SS-Factor-VAE", "CG", 1, "0.36"),
    ("workshop_2", "dsprites_full", "SS-beta-VAE", "UC", 2, "0.30"),
    ("workshop_appendix_2", "synthetic", "beta-VAE", "UC", 1, "0"),
    ("workshop_appendix_3", "mpi3d_toy", "SS-Factor-VAE", "UC", 2, "0.60"),
    ("workshop_appendix_4", "candle_v1", "SS-DIP-VAE", "UC", 1, "0.7"),
    ("workshop_appendix_5", "candle_v1", "DIP-VAE", "DCI(D)", None, "0.03"),
    ("workshop_appendix_7", "candle_v1", "beta-TCVAE", "IRS", None, "0.81"),
    ("shadow_9", "pendulum", "DoVAE", "F1_MIC", None, "56.8±5.2"),
    ("shadow_9", "flow", "LadderVAE", "NegTIC", None, "6.9±0.6"),
    ("shadow_10", "shadow_sunlight", "CausalVAE", "NegMIC", None, "43.1±6.9"),
    ("shadow_10", "shadow_pointlight", "ConditionVAE", "F1_TIC", None, "12.7±3.1"),
]
#: Data sets of plugins, which need not be installed.
OF_PLUGINS = {
    "candle",
    "candle_v1",
    "synthetic",
    "dsprites_full",
    "mpi3d_toy",
    "pendulum",
    "flow",
    "shadow_sunlight",
}
OF_PLUGINS |= {"shadow_pointlight", "celeba_beard", "celeba_beard_curated", "celeba_smile"}
OF_PLUGINS |= {"noisy_dsprites", "scream_dsprites", "smallnorb", "cars3d", "shapes3d", "falcor3d", "isaac3d"}
OF_PLUGINS |= {"mpi3d_realistic", "mpi3d_real"}
#: Tables of properties of data sets.
OF_DATA = ("aaai_4", "workshop_appendix_1", "shadow_1")


def scores(table, metric, rho=None, dataset=None):
    """Model -> value."""
    rows = published(table, metric=metric, dataset=dataset)
    rows = rows if rho is None else rows[rows["rho"] == rho]
    return dict(zip(rows["model"], rows["value"], strict=True))


def test_every_table_is_there_with_all_its_numbers():
    assert {table.name: table.num_values for table in published_tables()} == COUNTS
    assert ALL["table"].value_counts().to_dict() == COUNTS


def test_no_number_is_there_twice():
    place = ["table", "dataset", "model", "metric", "rho", "factor", "other_factor", "given"]
    assert not ALL.duplicated(place).any()


@pytest.mark.parametrize("spot", SPOTS, ids=lambda spot: f"{spot[0]}-{spot[2]}-{spot[3]}")
def test_numbers_are_as_printed(spot):
    table, dataset, model, metric, rho, printed = spot
    rows = published(table, dataset=dataset, metric=metric, model=model or None)
    rows = rows[rows["rho"] == (rho or 0)]
    assert rows["printed"].tolist() == [printed]


def test_the_p_values_are_as_printed():
    def printed(table, **fields):
        rows = published(table)
        for field, name in fields.items():
            rows = rows[rows[field] == name]
        (row,) = rows.to_dict("records")
        return row["printed"], row["value"]

    assert printed("shadow_3", factor="Age", other_factor="Gender") == ("10^-5", 1e-5)
    assert printed("shadow_5", factor="Smile", other_factor="Gender") == ("3×10^-5", 3e-5)
    assert printed("shadow_5", factor="Gender", other_factor="Eyes open") == ("0.02", 0.02)
    assert printed("shadow_7", factor="Gender", other_factor="Age") == ("0.5", 0.5)
    assert printed("shadow_4", factor="Gender", given="Bald and Beard") == ("0.1519", 0.1519)
    assert printed("shadow_6", given="Smile") == ("7×10^-6", 7e-6)
    assert printed("shadow_8", given="Bald and Beard") == ("0.2459", 0.2459)


@pytest.mark.parametrize("table", ["shadow_3", "shadow_5", "shadow_7"])
def test_tests_of_pairs_are_symmetric(table):
    rows = published(table)
    pairs = dict(zip(zip(rows["factor"], rows["other_factor"], strict=True), rows["printed"], strict=True))
    assert all(pairs[other, factor] == printed for (factor, other), printed in pairs.items())
    assert all(factor != other for factor, other in pairs)


def test_tables_that_were_printed_twice_agree():
    for metric, rho in [("IRS", None), ("UC", 1), ("CG", 1), ("UC", 2), ("CG", 2)]:
        for number in (9, 11):
            assert scores(f"aaai_{number}", metric, rho) == scores(f"workshop_appendix_{number}", metric, rho)
        candle = scores("workshop_2", metric, rho, "candle_v1")
        assert candle == scores("workshop_appendix_5", metric, rho) and len(candle) == 8
    for metric in ("IRS", "UC", "CG"):
        assert scores("aaai_7", metric) == scores("workshop_appendix_2", metric)


def test_every_name_is_known():
    assert set(ALL["dataset"]) == OF_PLUGINS
    assert set(ALL["confounding"]) - {"none"} <= set(RULE_SETS)
    assert set(ALL["metric"]) == set(published_metrics())
    assert set(ALL["model"]) - {""} == set(published_models())
    registered = {entry["registered"] for entry in published_metrics().values() if "registered" in entry}
    assert registered == {"irs", "dci", "uc", "cg", "crl_scores"} and registered <= set(registry.names("metrics"))
    # Of several published scores of one metric, the first of ours has its name; the others are called as ours.
    assert published_metrics()["F1_MIC"]["registered"] == "crl_scores"
    assert {"PosMIC", "PosTIC", "NegMIC", "NegTIC", "F1_MIC", "F1_TIC"} <= set(ALL["metric"]) & set(KEYS)
    # A number is that of a model, of an independence test, or of a data set.
    of_data = ALL["table"].isin(OF_DATA)
    assert ((ALL["model"] == "") == ((ALL["metric"] == "p_value") | of_data)).all()
    assert (ALL["rho"] > 0).equals(ALL["metric"].isin(["UC", "CG"]))
    assert set(ALL["rho"]) == {0, 1, 2, 5, 7}


def test_values_are_on_the_scale_of_their_metric():
    assert ALL.loc[~ALL["table"].isin(OF_DATA), "value"].between(0, 1).all()
    assert ALL["spread"].dropna().between(0, 0.07).all()
    assert ALL["spread"].notna().equals(ALL["table"].isin(["shadow_9", "shadow_10"]))
    (row,) = published("shadow_9", dataset="pendulum", model="CausalVAE", metric="PosMIC").to_dict("records")
    assert row["value"] == pytest.approx(0.53) and row["spread"] == pytest.approx(0.045)
    assert row["printed"] == "53.0±4.5" and published_table("shadow_9").scale == 100


def test_the_source_is_with_every_number():
    assert (ALL["source"] + ALL["caption"]).str.len().min() > 60
    sources = set(published("aaai_11")["source"])
    assert sources == {"On Causally Disentangled Representations (AAAI 2022, arXiv:2112.05746), table 11"}
    assert "2308.05707" in published_table("shadow_9").source.citation
    assert published_table("workshop_2").source.citation.endswith("Representations (workshop paper)")


def test_uc_beyond_one_code_has_its_warning():
    warned = ALL["note"].str.contains("not the quantity that the papers define", regex=False)
    assert warned.equals((ALL["metric"] == "UC") & (ALL["rho"] > 1))
    assert warned.sum() == 9 * 2 + 8 * (4 + 2 + 6)
    assert "uc.selection = 'published'" in " ".join(published_text("aaai_1").split())
    assert "uc.selection" not in published_text("aaai_7")


def test_every_note_applies_to_something():
    notes = module._content()["notes"]
    assert len({note["text"] for note in notes}) == len(notes)
    everything = " ".join(set(ALL["note"]))
    for note in notes:
        assert note["text"] in everything
        for field, names in note["applies_to"].items():
            known = set(module._content()["sources"]) if field == "source" else set(ALL[field].dropna())
            assert set(names) <= known, note


def is_multiple(printed, pairs):
    """Whether a number of two digits is some k / pairs, cut or rounded."""
    near = [k / pairs for k in range(pairs + 1)]
    return any(math.floor(100 * x + 1e-9) / 100 == printed or round(x, 2) == printed for x in near)


def test_what_the_notes_say_of_uc_at_one_code():
    ones = ALL[(ALL["metric"] == "UC") & (ALL["rho"] == 1)]
    candle = set(ones[ones["dataset"] == "candle_v1"]["value"])
    assert all(is_multiple(value, 10) for value in candle)
    assert {value for value in candle if not is_multiple(value, 15)} == {0.7, 0.9}
    sprites = set(ones[ones["confounding"] == "dsprites_confounded"]["value"])
    assert {value for value in sprites if not is_multiple(value, 15)} == {0.63}
    assert {value for value in sprites if not is_multiple(value, 10)} == {0.33, 0.63, 0.73, 0.86}
    toy = set(ones[ones["dataset"] == "mpi3d_toy"]["value"])
    assert all(is_multiple(value, 21) for value in toy)
    rounded = {round(k / 21, 2) for k in range(22)}
    assert {0.28, 0.42, 0.66, 0.8} <= toy - rounded


@pytest.mark.parametrize("table, largest", [("shadow_9", 0.1), ("shadow_10", 4.7)])
def test_what_the_notes_say_of_f1(table, largest):
    gaps = []
    for dataset in published_table(table).datasets:
        for kind in ("MIC", "TIC"):
            pos, neg, f1 = (scores(table, name + kind, dataset=dataset) for name in ("Pos", "Neg", "F1_"))
            gaps += [
                100 * abs(f1[model] - 2 * pos[model] * (1 - neg[model]) / (pos[model] + 1 - neg[model]))
                for model in f1
            ]
    assert len(gaps) == 24 and max(gaps) == pytest.approx(largest, abs=0.06)


def test_what_the_notes_say_of_p_values():
    from scipy.stats import chi2

    # Chi-squares of the first 20,000 images of CelebA, from the joint counts of their attributes.
    for found, printed_p, images in ((1630.5, 1e-5, 240), (362.7, 3e-5, 960), (13.0, 0.02, 8300)):
        assert chi2.isf(printed_p, 1) / (found / 20_000) == pytest.approx(images, rel=0.01)
    assert chi2.sf(275 * 240 / 20_000, 1) == pytest.approx(0.07, abs=0.01)  # age and beard
    for table, words in (("shadow_3", "some 240 images"), ("shadow_5", "some 8,300"), ("shadow_7", "not 0.5")):
        assert words in " ".join(published_text(table).split())


def test_known_names_that_never_meet_give_no_rows():
    rows = published("aaai_7", dataset="flow")
    assert len(rows) == 0 and list(rows) == list(ALL)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"table": "aaai_77"}, "Unknown published table 'aaai_77'. Did you mean 'aaai_7'?"),
        ({"dataset": "dsprites"}, "Unknown published dataset 'dsprites'. Did you mean 'dsprites_full'?"),
        ({"metric": "DCI"}, "Unknown published metric 'DCI'. Did you mean 'DCI(D)'?"),
        ({"metric": "uc"}, "Unknown published metric 'uc'. Did you mean 'UC'?"),
        ({"model": "beta-TC-VAE"}, "Unknown published model 'beta-TC-VAE'. Did you mean 'beta-TCVAE'?"),
        ({"model": ""}, "Unknown published model ''."),
    ],
)
def test_unknown_names(arguments, message):
    with pytest.raises(errors.UnknownName, match=re.escape(message)):
        published(**arguments)


@pytest.mark.parametrize("ask", [published_table, published_text])
def test_an_unknown_table(ask):
    with pytest.raises(errors.UnknownName, match="Unknown published table 'shadow_11'. Did you mean 'shadow_1"):
        ask("shadow_11")


def test_changing_what_was_returned_changes_nothing():
    rows = published("aaai_7")
    rows["value"] = 1.0
    published_metrics()["UC"]["better"] = "lower"
    assert published("aaai_7")["value"].max() < 1 and published_metrics()["UC"]["better"] == "higher"


@pytest.mark.parametrize("printed", ["", "0,5", "-1", "1.", "0.5 ", "5±", "10^5", "nan"])
def test_a_number_that_cannot_be_read(printed):
    with pytest.raises(ValueError, match="cannot be read"):
        module._numbers(printed, 1)


def test_the_example_of_the_page_runs(capsys):
    page = (Path(__file__).parents[2] / "docs" / "published.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.S)
    exec(compile(code, "published.md", "exec"), {})
    shown = capsys.readouterr().out.split("\n")
    assert re.findall(r"# (.*)", code) == [line for line in shown if line]
    assert all(f"`{field}`" in page for field in ALL)
    assert f"{len(COUNTS)} tables with {sum(COUNTS.values())} numbers" in page
    scores_of_appendix = [name for name in COUNTS if "appendix" in name and name not in OF_DATA]
    assert f"all {sum(COUNTS[name] for name in scores_of_appendix)} scores" in page


@pytest.mark.parametrize("table", ["shadow_9", "shadow_10"])
def test_every_f1_that_its_row_does_not_give_is_flagged(table):
    rows = published(table)
    flagged = {"cannot follow": 0, "more than 0.5 above": 0}
    for (_, _), own in rows.groupby(["dataset", "model"]):
        value = dict(zip(own["metric"], own["value"], strict=True))
        note = dict(zip(own["metric"], own["note"], strict=True))
        for kind in ("MIC", "TIC"):
            pos, neg, printed = (value[f"{name}{kind}"] for name in ("Pos", "Neg", "F1_"))
            mean, most = 2 * pos * (1 - neg) / (pos + 1 - neg), 2 * pos / (1 + pos)
            # Half of the last digit of Pos may move the bound by twice as much.
            impossible, low = printed > most + 0.0015, mean - printed > 0.005
            assert ("cannot follow" in note[f"F1_{kind}"]) == impossible
            assert ("more than 0.5 above" in note[f"F1_{kind}"]) == low
            if impossible or low:
                assert (
                    f"{100 * (most if impossible else mean):.1f} for {own['model'].iloc[0]}" in note[f"F1_{kind}"]
                )
            flagged["cannot follow"] += impossible
            flagged["more than 0.5 above"] += low
    expected = {"shadow_9": (0, 0), "shadow_10": (4, 9)}[table]
    assert tuple(flagged.values()) == expected
