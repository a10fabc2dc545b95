"""Running the checks, from Python and from pytest."""

from dataclasses import replace

import pytest

from causal_disent import errors
from causal_disent.registry import registry
from causal_disent.testing import check_metric, check_representation, named_checks, parametrize_checks
from causal_disent.testing.metric_checks import METRIC_CHECKS
from causal_disent.testing.stage import stage_data


def test_what_cannot_be_checked():
    with pytest.raises(
        errors.UnknownName, match="Unknown kind with checks 'engines'.* There are: metrics, datasets"
    ):
        list(named_checks("engines", "local"))
    with pytest.raises(errors.UnknownName, match="Unknown metric 'ircs'. Did you mean 'irs'"):
        check_metric("ircs")
    with pytest.raises(errors.InvalidInput, match="'irs' is a metric, not a representation"):
        check_representation(registry.get("metrics", "irs"))


def test_tests_are_named_after_entry_and_check():
    mark = parametrize_checks("metrics", ["irs", registry.get("metrics", "uc")]).mark
    names = [parameter.id for parameter in mark.args[1]]
    assert names[0] == "irs-documented" and names[-1] == "uc-wrong_number_of_rows"
    assert len(names) == 2 * len(METRIC_CHECKS)


def test_what_does_not_apply_is_skipped_in_pytest():
    entry = replace(registry.get("metrics", "irs"), facts={"known_failures": {"documented": "a secret"}})
    (parameter, *_) = parametrize_checks("metrics", [entry]).mark.args[1]
    with pytest.raises(pytest.skip.Exception, match="known failure: a secret"):
        parameter.values[0]()


def test_options_reach_their_entry():
    mark = parametrize_checks("metrics", ["irs"], {"irs": {"data": stage_data((2, 2))}}).mark
    checks = {parameter.id: parameter.values[0] for parameter in mark.args[1]}
    with pytest.raises(pytest.skip.Exception, match="the data set was given"):
        checks["irs-constant_factor"]()
