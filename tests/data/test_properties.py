"""What data sets say of themselves is what they are, as far as they can be made without files."""

import networkx as nx
import pytest

from causal_disent import errors, get_dataset
from causal_disent.cli.datasets import compare_text
from causal_disent.cli.listing import contents_of, files_of
from causal_disent.data.properties import PROPERTIES, describe
from causal_disent.registry import registry
from causal_disent.report.published import published

#: Property -> what the published tables call it.
PUBLISHED = {
    "depth": "graph depth", "three_d": "3D", "realistic": "realistic", "foreground": "foreground object",
    "off_centre": "not centred", "background": "complex background", "confounders": "confounders",
    "factors": "factors", "nuisance": "nuisance", "various": "various values", "consistent": "consistent",
}  # fmt: skip
#: Where a table and the files differ: dSprites before noise and The Scream have the five factors, SmallNORB four.
DIFFER = {("smallnorb", "factors")}
ENTRIES = {entry.name: entry for entry in registry.entries("datasets") if entry.facts.get("properties")}
MADE = sorted(name for name, entry in ENTRIES.items() if files_of(entry)["files"] == "none")


@pytest.mark.parametrize("name", MADE)
def test_factors_and_images_are_those_of_the_data_set(name):
    properties, data = ENTRIES[name].facts["properties"], get_dataset(name)
    assert properties["factors"] == data.num_factors
    width = int(properties["resolution"].partition("x")[0])
    assert width == data.observation_shape[1]
    if "images" in properties and hasattr(data, "factor_table"):
        assert properties["images"] == len(data.factor_table)
    if "various" in properties:
        assert properties["various"] == (max(data.factors_num_values) > 2)


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_depth_and_confounders_are_those_of_the_graph(name):
    properties, contents = ENTRIES[name].facts["properties"], contents_of(ENTRIES[name])
    if "graph" not in contents or "depth" not in properties:
        pytest.skip("its graph is known with its files only")
    edges = [edge.split(" -> ") for edge in contents["graph"]]
    assert properties["depth"] == nx.dag_longest_path_length(nx.DiGraph(edges))
    confounders = {cause for cause, effect in edges if cause not in contents["factors"] and effect != "image"}
    assert properties["confounders"] == bool(confounders)


@pytest.mark.parametrize("table", ["aaai_4", "workshop_appendix_1", "shadow_1"])
def test_properties_are_those_of_the_papers(table):
    pytest.importorskip("causal_disent_crl", reason="the data sets are those of the plugins")
    rows = published(table)
    compared = 0
    for name, own in rows.groupby("dataset"):
        values = dict(zip(own["metric"], own["value"], strict=True))
        for fact, title in PUBLISHED.items():
            if title in values and name in ENTRIES and (name, fact) not in DIFFER:
                assert ENTRIES[name].facts["properties"][fact] == values[title], (name, fact)
                compared += 1
    assert compared > 20


@pytest.mark.parametrize("facts", [{"factors": "6"}, {"three_d": 1}, {"colour": True}])
def test_a_wrong_fact_is_refused(facts):
    with pytest.raises(errors.CausalDisentError):
        describe(**facts)


def test_unknown_properties_stay_empty():
    text = compare_text(["one", "two"], [{"factors": 3}, {"three_d": True}])
    assert text.splitlines()[0].split() == ["data", "set", "factors", PROPERTIES["three_d"].title]
    assert text.splitlines()[2].split() == ["one", "3"] and text.splitlines()[3].split() == ["two", "yes"]


def test_rule_sets_and_reasons_are_shown_where_they_apply():
    found = contents_of(registry.get("datasets", "candle_mini"))
    assert found["factors"]["object"][0] == "cube" and "C -> object" in found["graph"]
    assert set(found["rule_sets"]) == {"candle_color", "candle_size", "candle_one_to_one"}
    pytest.importorskip("causal_disent_candle")
    rules = contents_of(registry.get("datasets", "candle"))["rule_sets"]["candle_table6"]
    assert len(rules) == 9 and all(rule.endswith(")") for rule in rules)
