import json

from causal_disent.cli.main import main
from causal_disent.report.published import published, published_tables


def run(capsys, *arguments):
    code = main(["published", *arguments])
    assert code == 0
    return capsys.readouterr().out


def test_the_list_names_every_table_and_paper(capsys):
    out = run(capsys)
    assert max(map(len, out.splitlines())) <= 100
    lines = out.split("\n\n")[0].splitlines()[2:]
    assert [line.split()[0] for line in lines if line[0] != " "] == [table.name for table in published_tables()]
    papers = " ".join(out.split("\n\n")[1].split())
    assert all(table.source.citation in papers for table in published_tables())
    assert all(table.caption.split()[0] in out for table in published_tables())


def test_a_table_is_printed_as_in_the_paper(capsys):
    out = run(capsys, "aaai_7")
    assert out.startswith(
        "On Causally Disentangled Representations (AAAI 2022, arXiv:2112.05746), table 7\n"
        "Four models on 432 images of three objects, each of which has one color only.\n\n"
        "data set synthetic, confounded by synthetic_full\n"
    )
    lines = [line.split() for line in out.splitlines()]
    assert ["model", "IRS", "DCI(D)", "UC", "rho=1", "CG", "rho=1"] in lines
    assert ["beta-VAE", "0.99", "0.10", "0.00", "0.01"] in lines
    assert max(map(len, out.splitlines())) <= 115


def test_a_table_of_two_data_sets_and_one_of_pairs(capsys):
    out = run(capsys, "workshop_2")
    assert out.index("data set candle_v1, confounded by candle_color\n") < out.index("data set dsprites_full\n")
    pairs = [line.split() for line in run(capsys, "shadow_3").splitlines()]
    assert ["Gender", "10^-5", "0", "0"] in pairs
    assert "data set celeba_smile: Gender and Mouth open\n" in run(capsys, "shadow_6")


def test_every_number_of_every_table_is_printed(capsys):
    for table in published_tables():
        out = run(capsys, table.name)
        cells = out.split()
        for printed, count in published(table.name)["printed"].value_counts().items():
            assert cells.count(printed) >= count, (table.name, printed)
        flat = " ".join(cells)
        assert all(" ".join(note.split()) in flat for note in table.notes)


def test_json(capsys):
    listed = json.loads(run(capsys, "--json"))
    assert [table["name"] for table in listed] == [table.name for table in published_tables()]
    assert listed[0]["source"]["arxiv"] == "2112.05746"
    numbers = json.loads(run(capsys, "shadow_9", "--json"))
    assert len(numbers) == 72
    assert numbers[0]["printed"] == "53.0±4.5" and numbers[0]["value"] == 0.53 and numbers[0]["rho"] == 0


def test_a_table_that_does_not_exist(capsys):
    assert main(["published", "aai_7"]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("error: Unknown published table 'aai_7'. Did you mean 'aaai_7'?") and not shown.out
