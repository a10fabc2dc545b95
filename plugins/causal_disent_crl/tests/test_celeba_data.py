"""CelebA as data sets: what the real counts say of the graphs, curation, images, and damaged folders."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import written_celeba as written
from causal_disent_crl import celeba, plugin
from causal_disent_crl.celeba import CelebaBeard, CelebaSmile
from PIL import Image

from causal_disent import errors
from causal_disent.cli.main import main
from causal_disent.graphs.check_graph import check_graph
from causal_disent.registry import Register, registry
from causal_disent.testing import parametrize_checks

ENTRIES = {}
plugin.register_datasets(Register("datasets", "causal_disent_crl", lambda e: ENTRIES.__setitem__(e.name, e)))
CELEBA = {name: entry for name, entry in ENTRIES.items() if name.startswith("celeba")}
pytestmark = pytest.mark.filterwarnings("ignore:The authors of the Shadow")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The real joint counts in both layouts."""
    root = tmp_path_factory.mktemp("celeba")
    written.write(root / "beard")
    written.write(root / "smile", written.SMILE, written.SMILE_COUNTS, written.as_commas)
    return root


@pytest.fixture
def registered():
    restores = [registry.replace(entry) for entry in CELEBA.values()]
    yield
    for restore in restores:
        restore()


def checked(data):
    check = check_graph(data)
    tested = {(test.first, test.second, test.given): test for test in check.tested}
    opened = {(pair.first, pair.second, pair.given, pair.value): pair for pair in check.opened}
    pairs = {(pair.first, pair.second): pair for pair in check.pairs}
    return tested, opened, pairs


def test_beard_has_the_published_statistics(folders):
    data = CelebaBeard(folders / "beard")
    assert len(data.factor_table) == 20_000 and not data.has_images
    tested, opened, pairs = checked(data)
    assert tested["age", "gender", ()].test.statistic == pytest.approx(1630.5, abs=0.1)
    assert tested["age", "gender", ()].is_broken
    strata = tested["bald", "beard", ("age", "gender")]
    assert strata.test.statistic == pytest.approx(46.8, abs=0.05) and strata.test.degrees == 3 and strata.is_broken
    # Given a beard, age and gender look independent, where a common effect should make them dependent.
    collider = opened["age", "gender", ("beard",), "yes"]
    assert collider.test.p == pytest.approx(0.66, abs=0.01) and collider.looks_independent and not collider.agrees
    assert all(pairs[pair].test.p < 1e-50 for pair in pairs if pair != ("age", "gender"))
    table = data.factor_table
    assert ((table["gender"] == "female") & (table["beard"] == "yes")).sum() == 13
    phi = np.corrcoef((table["age"] == "young").astype(int), (table["gender"] == "male").astype(int))[0, 1]
    assert phi == pytest.approx(-0.2855, abs=1e-4)


def test_smile_has_the_published_statistics(folders):
    tested, opened, pairs = checked(CelebaSmile(folders / "smile"))
    assert tested["gender", "smile", ()].test.statistic == pytest.approx(362.7, abs=0.05)
    assert pairs["gender", "eyes_open"].test.statistic == pytest.approx(13.0, abs=0.05)
    assert tested["gender", "mouth_open", ()].test.statistic == pytest.approx(185.6, abs=0.05)
    given = tested["gender", "mouth_open", ("smile",)].test
    assert given.statistic == pytest.approx(18.5, abs=0.05) and given.degrees == 2
    assert ("gender", "mouth_open", ("eyes_open",), "") in opened


@pytest.mark.parametrize(("curation", "images"), [("pairs", 2 * (5407 + 1378)), ("remove", 17_707)])
def test_curation_mends_age_and_gender_and_nothing_else(folders, curation, images):
    data = CelebaBeard(folders / "beard", curation=curation)
    assert len(data.factor_table) == images
    tested, *_ = checked(data)
    assert tested["age", "gender", ()].test.p > 0.99
    if curation == "pairs":
        assert tested["age", "gender", ()].test.statistic == pytest.approx(0, abs=1e-9)
    assert tested["bald", "beard", ("age", "gender")].is_broken
    again, other = (CelebaBeard(folders / "beard", curation=curation, seed=seed) for seed in (0, 1))
    assert again.factor_table.equals(data.factor_table) and not other.factor_table.index.equals(
        data.factor_table.index
    )
    # Images keep their numbers.
    whole = CelebaBeard(folders / "beard").factor_table
    assert whole.loc[data.factor_table.index].equals(data.factor_table)


def test_smile_is_not_curated(folders):
    with pytest.raises(errors.InvalidInput, match="CelebaSmile has no curation; given: curation='pairs'"):
        CelebaSmile(folders / "smile", curation="pairs")
    with pytest.raises(errors.UnknownName, match="'pair'. Did you mean 'pairs'"):
        CelebaBeard(folders / "beard", curation="pair")


def test_inversion_is_an_option(folders):
    plain, turned = (CelebaBeard(folders / "beard", inverted=inverted) for inverted in (False, True))
    assert plain.factor_names == ("age", "gender", "bald", "no_beard")
    assert turned.factor_names == ("age", "gender", "bald", "beard")
    assert ((plain.factor_table["no_beard"] == "yes") == (turned.factor_table["beard"] == "no")).all()
    assert set(plain.graph.predecessors("no_beard")) == {"age", "gender"}
    statistics = [[test.test.statistic for test in check_graph(data).tested] for data in (plain, turned)]
    np.testing.assert_allclose(*statistics)
    assert CelebaSmile(folders / "smile", inverted=False).factor_names[2] == "narrow_eyes"


def test_the_graphs(folders):
    beard = {edge for edge in CelebaBeard(folders / "beard").graph.edges if edge[1] != "image"}
    assert beard == {(cause, effect) for cause in ("age", "gender") for effect in ("bald", "beard")}
    smile = {edge for edge in CelebaSmile(folders / "smile").graph.edges if edge[1] != "image"}
    assert smile == {("gender", "eyes_open"), ("smile", "eyes_open"), ("smile", "mouth_open")}


def test_without_images_the_attributes_are_observed(folders):
    data = CelebaBeard(folders / "beard")
    assert data.observation_shape == (40,)
    rows = data.observations([0, 7])
    for place, name in enumerate(("Young", "Male", "Bald")):
        column = rows[:, written.COLUMNS[name] - 1]
        np.testing.assert_array_equal(column, data.factor_values([0, 7])[:, place])
    np.testing.assert_array_equal(rows[:, written.COLUMNS["No_Beard"] - 1], 1 - data.factor_values([0, 7])[:, 3])
    with pytest.raises(errors.InvalidInput, match="it has no folder img_align_celeba with images"):
        CelebaBeard(folders / "beard", images=True)


@pytest.fixture
def with_images(tmp_path):
    folder = written.write(tmp_path / "celeba", counts=[2] * 16)
    written.write_images(folder, 32)
    return folder


def test_images_are_read_cropped_and_resized(with_images):
    data = CelebaBeard(with_images)
    assert data.has_images and data.observation_shape == (128, 128, 3)
    shown = data.observations([3, 20, 3])
    np.testing.assert_allclose(shown[:, 64, 64, 1] * 255, (15, 100, 15), atol=3)
    np.testing.assert_array_equal(shown[0], shown[2])
    assert (shown[:, 1, 1, 0] > 0.9).all()  # the frame
    cropped = CelebaBeard(with_images, size=64, crop=128).observations([20])
    assert cropped.shape == (1, 64, 64, 3) and np.abs(cropped * 255 - 100).max() < 6
    assert CelebaBeard(with_images, images=False).observation_shape == (40,)


def test_nested_folders_of_images(with_images):
    place = with_images / "img_align_celeba"
    place.rename(with_images / "inner")
    place.mkdir()
    (with_images / "inner").rename(place / "img_align_celeba")
    assert CelebaBeard(with_images).has_images


def test_partial_and_damaged_images(with_images):
    (with_images / "img_align_celeba" / "000005.jpg").unlink()
    with pytest.raises(errors.InvalidInput, match="1 of 32 images are missing, such as 000005.jpg"):
        CelebaBeard(with_images)
    data = CelebaBeard(with_images, skip_broken=True)
    assert len(data.factor_table) == 31 and 4 not in data.factor_table.index
    (with_images / "img_align_celeba" / "000001.jpg").write_bytes(b"no picture")
    with pytest.raises(errors.InvalidInput, match=r"000001\.jpg cannot be used: it is not a whole picture"):
        data.observations([0])
    Image.new("RGB", (50, 50)).save(with_images / "img_align_celeba" / "000002.jpg")
    with pytest.raises(errors.InvalidInput, match=r"000002\.jpg cannot be used: it should be of 178x218 pixels"):
        data.observations([1])


def test_splits_are_those_of_the_authors(with_images):
    with pytest.raises(errors.InvalidInput, match="the split 'test' needs list_eval_partition.txt or"):
        CelebaBeard(with_images, split="test")
    lines = [
        f"{file} {0 if image < 20 else 1 if image < 26 else 2}" for image, file in enumerate(written.files(32))
    ]
    (with_images / "list_eval_partition.txt").write_text("\n".join(lines) + "\n")
    sizes = [
        len(CelebaBeard(with_images, split=split).factor_table) for split in ("train", "validation", "test", "all")
    ]
    assert sizes == [20, 6, 6, 32]
    assert len(CelebaBeard(with_images, first=22, split="validation").factor_table) == 2
    with pytest.raises(errors.InvalidInput, match="none of the 10 images is in the split 'test'"):
        CelebaBeard(with_images, first=10, split="test")
    (with_images / "list_eval_partition.txt").write_text("\n".join(lines[1:]))
    with pytest.raises(
        errors.InvalidInput, match=r"list_eval_partition.txt cannot be used: 000001.jpg is not in it"
    ):
        CelebaBeard(with_images, split="train")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 4}, "8 to 512 pixels, a whole number; given: size=4"),
        ({"crop": 500}, "a square of 8 to 178 is kept; given: crop=500"),
        ({"first": 0}, "`first` must be a whole number, at least 1"),
        ({"seed": -1}, "`seed` must be a whole number from 0"),
        ({"seed": 2**32, "curation": "pairs"}, "`seed` must be a whole number from 0"),
        ({"inverted": "False"}, "`inverted` must be True or False; given: 'False'"),
        ({"images": "no"}, "`images` must be True or False; given: 'no'"),
        ({"skip_broken": 1}, "`skip_broken` must be True or False; given: 1"),
        ({"images": False, "size": "big"}, "given: size='big'"),
    ],
)
def test_options_that_cannot_be_used(with_images, options, message):
    with pytest.raises(errors.InvalidInput, match=message):
        CelebaBeard(with_images, **options)


def test_a_missing_attribute_is_named_with_its_file(tmp_path):
    names = [name.replace("Bald", "Balding") for name in written.NAMES]
    (tmp_path / "list_attr_celeba.csv").write_text(
        written.as_commas(written.table(written.BEARD, [1] * 16), names)
    )
    with pytest.raises(
        errors.InvalidInput, match=r"list_attr_celeba\.csv cannot be used: it has no attribute 'Bald'"
    ):
        CelebaBeard(tmp_path)
    with pytest.raises(errors.InvalidInput, match="neither list_attr_celeba.txt nor list_attr_celeba.csv in it"):
        CelebaBeard(tmp_path / "none")


def test_without_files_it_says_where_they_are_published(tmp_path, monkeypatch):
    monkeypatch.setenv("DISENTANGLEMENT_LIB_DATA", str(tmp_path))
    with pytest.raises(errors.InvalidInput, match="list_attr_celeba.csv, which cannot be found.*mmlab"):
        CelebaBeard()


def test_the_warning_is_said_once(folders):
    code = (
        f"import sys\nsys.path[:0] = {sys.path!r}\n"
        "from causal_disent_crl.celeba import CelebaBeard, CelebaSmile\n"
        f"for _ in range(3): CelebaSmile({str(folders / 'smile')!r})\nCelebaBeard({str(folders / 'beard')!r})\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr
    assert said.count("not to evaluate on CelebA(SMILE)") == 1


def test_the_graph_command_prints_the_tables(registered, folders, capsys):
    celeba._warn.cache_clear()
    assert main(["datasets", "graph", "celeba_beard", "--options", f"folder={folders / 'beard'}"]) == 0
    out = capsys.readouterr().out
    lines = [line.split() for line in out.splitlines()]
    assert ["age", "gender", "bald", "beard"] in lines  # as tables 3, 5 and 7
    assert ["gender", "0*", "1e-142", "0"] in lines
    strata = ["age,", "gender", "beard=yes", "0.189", "1", "0.664", "independent", "(few", "points)"]
    assert strata in lines  # as tables 4, 6 and 8
    assert "Broken: age, gender; bald, beard given age, gender.\n2 of 2 independences are broken" in out
    page = (Path(__file__).parents[3] / "docs/datasets.md").read_text()
    assert f"```text\n{out}```" in page
    options = ["--options", f"folder={folders / 'beard'}", "curation=pairs"]
    assert main(["datasets", "graph", "celeba_beard", *options]) == 0
    assert "Broken: bald, beard given age, gender.\n1 of 2" in capsys.readouterr().out
    with pytest.warns(UserWarning, match="not to evaluate on CelebA"):
        assert main(["datasets", "graph", "celeba_smile", "--options", f"folder={folders / 'smile'}"]) == 0
    assert "5 of 5 independences are broken" in capsys.readouterr().out


def test_verify(registered, with_images, capsys):
    assert main(["datasets", "verify", "celeba_beard", "--options", f"folder={with_images}"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[1] == "32 of them are there; 32, evenly spaced, are whole and have the right size"
    assert shown[-1] == "celeba_beard: incomplete: 32 of 202,599 images"


@pytest.fixture(scope="module", autouse=True)
def files(tmp_path_factory):
    """A small folder for the checks, with images."""
    root = tmp_path_factory.mktemp("root")
    values = written.table(tuple(written.COLUMNS), [1] * 128)[:60]
    (root / "celeba").mkdir()
    (root / "celeba" / "list_attr_celeba.txt").write_text(written.as_text(values))
    written.write_images(root / "celeba", 60)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISENTANGLEMENT_LIB_DATA", str(root))
        yield root


@parametrize_checks("datasets", list(CELEBA.values()))
def test_every_data_set_passes_the_checks(check):
    check()


@pytest.mark.parametrize("name", CELEBA)
def test_the_checks_pass_without_images_too(name):
    from causal_disent.testing.dataset_checks import DATASET_CHECKS, DatasetTrial

    trial = DatasetTrial(CELEBA[name], images=False)
    for check in DATASET_CHECKS:
        check(trial)
