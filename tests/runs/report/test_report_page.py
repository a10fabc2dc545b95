"""What the page says, and what it must not do, read as text."""

import base64
import hashlib
import html
import json
import re
import sys

import numpy as np
import pytest
from result_trees import fill

from causal_disent import errors
from causal_disent.cli.main import main
from causal_disent.registry import registry
from causal_disent.report import charts
from causal_disent.report import page as pictures
from causal_disent.report.page import Table
from causal_disent.report.write import make_page, write_report

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>'\"&"


def section(page, name):
    return next(one for one in page.sections if one.name == name)


def table(page, name, title):
    return next(one for one in section(page, name).tables if one.title == title)


def words(page, name):
    return " ".join(section(page, name).words)


def test_questions_come_in_order(tree):
    fill(tree)
    tree.picture("0/visualized/traversals/traversals.png")
    tree.curves(0, ["50,loss,3.5", "100,loss,2.5"])
    page = make_page(tree.root)
    wanted = "best real agreement effects attribution pictures curves assumptions failures configs"
    assert [one.name for one in page.sections] == wanted.split()
    assert "12 runs, 2 models (beta_vae; factor_vae), 2 data sets" in page.about[0]
    assert "turns images into codes" in page.about[1] and "confounded" in page.about[1]


def test_charts_say_what_scores_ask(tree):
    tree.run("m", 0, {"causal_disentanglement": {"CG": 0.3, "IRS": 0.4, "UC": 0.5}, "stranger": {"s": 1.0}})
    asked = {chart.title.partition(" (")[0]: chart.note for chart in section(make_page(tree.root), "best").charts}
    for name in ("cg", "irs", "uc"):
        assert asked[name.upper()] == registry.get("metrics", name).summary
    assert asked["stranger: s"] == ""
    tree.run("m", 1, {"dci": {"disentanglement": 0.3, "completeness": 0.2}})
    asked = {chart.title.partition(" (")[0]: chart.note for chart in section(make_page(tree.root), "best").charts}
    assert asked["dci: disentanglement"] == registry.get("metrics", "dci").summary
    assert (
        asked["dci: completeness"] == f"beside the main score of dci, which asks: {asked['dci: disentanglement']}"
    )
    tree.run("m", 0, {"uc": {"UC": 0.6}})
    titles = {chart.title.partition(" (")[0] for chart in section(make_page(tree.root), "best").charts}
    assert {"UC", "causal_disentanglement: UC", "CG"} <= titles  # two metrics report a UC


def test_the_best_model_with_its_interval(tree):
    fill(tree, seeds=5)
    page = make_page(tree.root)
    rows = table(page, "best", "The best of each data set").rows
    assert rows[0][:4] == ["IRS", "candle_mini", "factor_vae", pytest.approx(0.42)]
    # Student's t with four degrees of freedom: 2.776 standard errors.
    half = 2.7764 * np.std([0, 0.01, 0.02, 0.03, 0.04], ddof=1) / 5**0.5
    assert rows[0][4] == f"{0.42 - half:.3f} to {0.42 + half:.3f}"
    uc = next(row for row in rows if row[0] == "UC")
    assert uc[2] == "beta_vae"
    means = table(page, "best", "All means")
    assert "over points" in means.header and "chance" not in means.header
    assert "0.500 to 0.900" in [row[-1] for row in means.rows]


def test_of_three_seeds_the_values_are_shown(tree):
    fill(tree, seeds=3)
    page = make_page(tree.root)
    assert table(page, "best", "The best of each data set").rows[0][4] == "0.400, 0.410, 0.420"
    assert not any("to" in row[4] for row in table(page, "best", "All means").rows)


def test_intervals_stay_within_the_range_of_scores_beside_the_main_one(tree):
    for seed in range(4):
        found = {"disentanglement": 0.5, "completeness": float(seed % 2), "informativeness_test": 0.9}
        tree.run("beta_vae", seed, {"dci": found})
    rows = {row[0]: row[4] for row in table(make_page(tree.root), "best", "All means").rows}
    assert rows["dci: completeness"] == "0.000 to 1.000"


def test_a_score_within_chance_is_told(tree):
    for seed, within in enumerate((True, False)):
        tree.run("noise", seed, {"uc": {"UC": 0.9, "UC_chance": 0.8, "UC_within_chance": within}})
        tree.run("good", seed, {"uc": {"UC": 1.0, "UC_chance": 0.7, "UC_within_chance": False}})
        tree.run("older", seed, {"uc": {"UC": 0.5, "UC_within_chance": "no"}})
    page = make_page(tree.root)
    best = table(page, "best", "The best of each data set")
    assert best.rows[0][best.header.index("beside chance")] == "better than chance"
    means = {row[2]: row[-2:] for row in table(page, "best", "All means").rows}
    assert means["noise"] == [pytest.approx(0.8), "within chance (50 % of the runs)"]
    assert means["good"] == [pytest.approx(0.7), "better than chance"] and means["older"][1] == ""
    assert "what is within chance is best of nothing" in words(page, "best")


def test_models_that_are_equally_good_are_both_the_best(tree):
    for model, value in (("a", 0.5), ("b", 0.5), ("c", 0.2)):
        tree.run(model, 0, {"irs": {"IRS": value}})
    page = make_page(tree.root)
    row = table(page, "best", "The best of each data set").rows[0]
    assert row[2:4] == ["a; b", 0.5] and row[5:] == ["c", 0.2]
    assert "a and b are ahead by IRS." in words(page, "best")


def test_factors_of_dead_codes_are_told(tree):
    found = {"CG": 0.3, "codes_factor_object": [0, 2], "codes_factor_color": [1, 2]}
    scores = {f"rho={rho}:{key}": value for rho in (1, 2) for key, value in found.items()}
    scores |= {"dead_codes": [1, 2, 5], "rho=1:factors_of_dead_codes": ["color"], "rho=2:factors_of_dead_codes": 3}
    tree.run("m", 0, {"causal_disentanglement": scores})
    page = make_page(tree.root)
    assert "dead codes alone" in words(page, "attribution")
    assert [row[2:] for row in table(page, "attribution", "Factors of dead codes").rows] == [["rho=1", 3, "color"]]
    titles = [chart.title for chart in section(page, "attribution").charts]
    assert [title.partition(" (")[0] for title in titles] == [
        "m: codes of each factor, rho=1", "m: codes of each factor, rho=2",
    ]  # fmt: skip


def test_six_pairs_decide_between_two(tree):
    fill(tree, seeds=3)
    page = make_page(tree.root)
    row = table(page, "real", "The best beside each other model").rows[0]
    assert row[:3] == ["IRS", "factor_vae", "beta_vae"] and row[3] == pytest.approx(0.1)
    assert row[4:6] == [pytest.approx(0.1)] * 2 and row[6:] == [6, 2 / 2**6, "yes"]
    assert "The ranking is decisive by every score." in words(page, "real")


def test_few_pairs_do_not(tree):
    fill(tree, seeds=2)
    page = make_page(tree.root)
    assert "The ranking is not decisive by any score." in words(page, "real")
    assert "it takes at least 6 pairs" in words(page, "real")
    rows = table(page, "real", "In words").rows
    assert all("The ranking is not decisive" in row[2] for row in rows)


def test_metrics_agree_by_rank(tree):
    fill(tree)
    found = {tuple(row[:2]): row[2] for row in table(make_page(tree.root), "agreement", "Rank correlations").rows}
    # UC goes down where IRS goes up, and MIG is half of IRS.
    assert found["IRS", "mig: discrete_mig"] == pytest.approx(1) and found["IRS", "UC"] == pytest.approx(-1)


def test_effects_of_what_was_varied(tree):
    for beta in (1, 4, 16):
        for seed in (0, 1):
            tree.run("beta_vae", seed, {"irs": {"IRS": 0.1 * beta**0.5 + seed / 100}}, **{"vae.beta": beta})
    page = make_page(tree.root)
    rows = table(page, "effects", "Effects").rows
    assert [row[:2] for row in rows] == [["vae.beta", "1"], ["vae.beta", "4"], ["vae.beta", "16"]]
    assert rows[1][4] == pytest.approx(0.205)
    assert section(page, "effects").charts[0].title == "IRS by vae.beta"
    assert "3 models (beta_vae vae.beta=1;" in page.about[0]
    tree.run("factor_vae", 0, {"irs": {"IRS": 0.1}})  # which has no beta: the column's numbers are floats then
    page = make_page(tree.root)
    assert [row[1] for row in table(page, "effects", "Effects").rows] == ["1", "4", "16"]
    assert "beta_vae vae.beta=4;" in page.about[0]


def test_intervals_of_effects_stay_in_the_range_of_the_score(tree):
    for beta in (1, 4):
        for seed in (0, 1, 2, 3):
            tree.run("beta_vae", seed, {"uc": {"UC": 0.1 + 0.8 * (seed % 2)}}, **{"vae.beta": beta})
    page = make_page(tree.root)
    assert {row[5] for row in table(page, "effects", "Effects").rows} == {"0.000 to 1.000"}
    [chart] = section(page, "effects").charts
    assert "-" not in str([row["low"] for row in next(iter(_values(chart.spec)))])


def _values(spec):
    """Each list of rows that a chart draws."""
    for key, part in spec.items():
        if key == "values":
            yield part
        elif isinstance(part, dict):
            yield from _values(part)


def test_a_run_that_was_noted_once_is_a_dot(tree):
    fill(tree)
    tree.curves(0, ["20,loss,3.5"])
    [chart] = section(make_page(tree.root), "curves").charts
    assert chart.spec["mark"]["point"] is True
    tree.curves(1, ["20,loss,3.5", "40,loss,3.0"])
    [chart] = section(make_page(tree.root), "curves").charts
    assert chart.spec["mark"]["point"] is False


def test_tiles_of_one_value_have_the_color_of_the_most(tree):
    fill(tree)
    chart = section(make_page(tree.root), "attribution").charts[0]
    assert chart.spec["encoding"]["color"]["scale"]["domainMin"] == 0


def test_ours_beside_what_was_published(tree):
    tree.run("beta", 0, {"irs": {"IRS": 0.5}}, dataset="synthetic_mini", confounding="synthetic_full")
    page = make_page(tree.root)
    row = next(row for row in table(page, "published", "Beside").rows if row[0] == "aaai_7")
    assert row[3:5] == ["IRS", 0.5] and row[7] == "beta-VAE"
    assert "On Causally Disentangled Representations" in words(page, "published")


def test_whether_the_data_meet_what_is_assumed(tree):
    fill(tree)
    page = make_page(tree.root)
    met = {(row[0], "confounded" in row[3]): row[4] for row in table(page, "assumptions", "Assumptions").rows}
    assert met["mig", False].startswith("yes") and met["mig", True].startswith("no")
    assert met["uc", True] == "yes"
    chance = {row[0]: row[5] for row in table(page, "assumptions", "Assumptions").rows}
    assert chance["mig"] == "near 0" and "0.93 for noise" in chance["uc"]
    assert "mig on candle_mini, confounded by candle_color" in words(page, "assumptions")


def test_data_that_are_not_known_here(tree):
    tree.run("m", 0, {"irs": {"IRS": 0.5}}, dataset="elsewhere")
    page = make_page(tree.root)
    assert table(page, "assumptions", "Assumptions").rows[0][4] == "cannot be said"
    assert "elsewhere cannot be looked at here" in words(page, "assumptions")


def test_failures_with_their_logs_and_files_that_cannot_be_read(tree):
    fill(tree)
    place = tree.root / "0/failures/metrics/mean/dci.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps({"message": "too few points", "attempts": 2, "last_lines": ["a", "b"]}))
    (tree.root / "1/broken.png").write_bytes(b"no picture")
    page = make_page(tree.root)
    assert table(page, "failures", "Failed tasks").rows[0][:4] == ["0", "metrics/mean/dci", "too few points", "2"]
    assert section(page, "failures").folds[0].text == "a\nb"
    assert table(page, "failures", "Files left out").rows[0][0] == "1/broken.png"


def test_every_config_once(tree):
    fill(tree, seeds=2)
    page = make_page(tree.root)
    texts = [fold.text for fold in section(page, "configs").folds]
    assert len(texts) == len(set(texts)) and sum("model.random_seed = 1" in text for text in texts) == 4


def test_one_run_alone(tree, tmp_path):
    fill(tree, models=["m"], seeds=1, confoundings=[None])
    page = make_page(tree.root / "0/metrics/mean/irs")
    assert table(page, "best", "All means").rows[0][3] == 0.3
    assert "nothing to compare" in words(page, "real")


def test_a_model_without_scores(tree):
    fill(tree, models=["m"], seeds=1, confoundings=[None])
    names = [one.name for one in make_page(tree.root / "0/model").sections]
    assert names == ["failures", "configs"]


def test_nothing_there(tmp_path):
    with pytest.raises(errors.InvalidInput, match="There are no results below"):
        write_report(tmp_path, tmp_path / "page.html")
    with pytest.raises(errors.InvalidInput, match="is not a folder"):
        write_report(tmp_path / "nowhere", tmp_path / "page.html")


def test_the_command_writes_one_file(tree, tmp_path, capsys):
    fill(tree)
    assert main(["report", str(tree.root), "--output", str(tmp_path / "page.html")]) == 0
    assert "page.html" in capsys.readouterr().out
    text = (tmp_path / "page.html").read_text()
    assert [path.name for path in tmp_path.iterdir() if path.name != "tree"] == ["page.html"]
    text = re.sub(r"<script>.*?</script>", "", text, flags=re.S)
    assert not re.findall(r"<(?:link|iframe|object|embed)\b|(?:src|href)=\"(?!data:|#)", text)


def test_the_same_folders_give_the_same_page(tree, tmp_path):
    fill(tree, seeds=2)
    pages = [write_report(tree.root, tmp_path / name).read_bytes() for name in ("one.html", "two.html")]
    assert pages[0] == pages[1]


def test_hostile_names_are_text(tree, tmp_path):
    for model in (HOSTILE, "m"):
        for seed in range(4):
            tree.run(model, seed, {"irs": {"IRS": seed / 10}, HOSTILE.replace("/", ""): {HOSTILE: seed / 5}},
                     confounding=HOSTILE, **{"vae.beta": HOSTILE if seed else 1})  # fmt: skip
    tree.picture("0/traversals/<b onclick=alert(3)>.png")
    text = write_report(tree.root, tmp_path / "page.html").read_text()
    scripts = re.findall(r"<script>(.*?)</script>", text, flags=re.S)
    assert len(scripts) == 2
    for script in scripts:
        checksum = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{html.escape(checksum)}'" in text.replace("&#43;", "+")
    outside = re.sub(r"<script>.*?</script>", "", text, flags=re.S)
    assert "<script>alert" not in outside and "<img src=x" not in outside and "<b onclick" not in outside
    assert "&lt;script&gt;alert(1)" in outside


def test_a_hundred_runs_stay_below_ten_megabytes(tree, tmp_path):
    fill(tree, models=[f"model_{i}" for i in range(10)], seeds=5)
    for number in range(100):
        for kind in ("traversals", "reconstructions", "counterfactuals"):
            tree.picture(f"{number}/visualized/{kind}/{kind}.png", (300, 200), seed=number)
        terms = [(step, term) for step in range(0, 5000, 50) for term in ("loss", "kl_loss")]
        tree.curves(number, [f"{step},{term},{step / 7}" for step, term in terms])
    page = write_report(tree.root, tmp_path / "page.html")
    assert page.stat().st_size < 10_000_000
    text = page.read_text()
    assert "the room for pictures is used up" in text and "10/visualized/traversals" in text


def test_pictures_that_are_none(tree, tmp_path):
    thumbnails = pictures.Thumbnails()
    for content in (b"", b"GIF89a", b"\x89PNG\r\n\x1a\n" + b"\0" * 50):
        path = tmp_path / "x.png"
        path.write_bytes(content)
        with pytest.raises(errors.InvalidInput, match="no picture"):
            thumbnails.add(path, "x")


def test_a_picture_that_would_be_too_large(tree, monkeypatch):
    path = tree.picture("a.png", (40, 30))
    monkeypatch.setattr(pictures, "MOST_PIXELS", 1199)
    with pytest.raises(errors.InvalidInput, match="40 x 30 pixels"):
        pictures.Thumbnails().add(path, "x")


def test_links_are_not_followed(tree, tmp_path):
    fill(tree, seeds=1)
    secret = tree.picture("../secret.png")
    (tree.root / "0/traversals").mkdir()
    (tree.root / "0/traversals/link.png").symlink_to(secret)
    assert not any("link.png" in one.caption for one in section(make_page(tree.root), "pictures").pictures)


@pytest.mark.parametrize("package", ["jinja2", "altair", "vl_convert"])
def test_what_is_not_installed_is_named(tree, tmp_path, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        errors.InvalidInput, match=rf"needs the package {package}: pip install .causal-disent\[report\]"
    ):
        write_report(tree.root, tmp_path / "page.html")


def test_long_tables_and_charts_are_cut():
    rows = [[i, "x"] for i in range(4000)]
    long = Table("long", ["number", "text"], rows)
    assert len(long.shown) == 3000 and long.count == "the first 3,000 of 4,000 rows"
    assert Table("short", ["number"], [[1]]).count == "1 row"
    points = charts.data(charts.some([{"value": float(i)} for i in range(2500)])).to_dict()["values"]
    assert len(points) == 834 and points[1]["value"] == 3.0
