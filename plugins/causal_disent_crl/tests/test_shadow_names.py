"""Names of files: what is written is read, and what cannot be read is told."""

import pytest
from causal_disent_crl.shadow.data import NAMED
from causal_disent_crl.shadow.folder import EXAMPLES, FileName, file_name, parse_name
from causal_disent_crl.shadow.scene import LIGHTS, SCALES, brightest, light_positions, shadow_area
from hypothesis import given, settings
from hypothesis import strategies as st

SUN, POINT = LIGHTS["sun"], LIGHTS["point"]


def test_published_names():
    assert file_name("cube", "red", 0.4, 0.0, "SkyBlue", SUN) == EXAMPLES["sun"]
    assert file_name("cube", "red", 0.4, 0.0, "SkyBlue", POINT) == EXAMPLES["point"]
    assert parse_name(EXAMPLES["point"], POINT) == FileName((0, 0, 0, 0.0, 0), (0.349, 0, 1.843))
    # One shape is misspelt there.
    assert file_name("octahedron", "blue", 1.0, 3.0, "Coral", SUN).startswith("Ocrahedron_Blue_Size_1_")


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_what_is_written_is_read(data):
    light = LIGHTS[data.draw(st.sampled_from(list(LIGHTS)))]
    places = [data.draw(st.integers(0, len(NAMED[name]) - 1)) for name in ("shape", "color", "light_color")]
    scale = data.draw(st.integers(0, 6))
    position = float(data.draw(st.sampled_from(light_positions(data.draw(st.sampled_from([9, 20, 33]))).tolist())))
    shape, color, light_color = (
        NAMED[name][place] for name, place in zip(("shape", "color", "light_color"), places, strict=True)
    )
    said = parse_name(file_name(shape, color, SCALES[scale], position, light_color, light), light)
    assert said.causes[:3] == (places[0], places[1], scale) and said.causes[4] == places[2]
    assert said.causes[3] == pytest.approx(position, abs=1e-4)
    expected = [shadow_area(shape, SCALES[scale], position, light), places[2], brightest(position)[0]]
    assert list(said.effects) == pytest.approx(expected[: len(said.effects)], abs=0.6e-3)
    assert len(said.effects) == (3 if light is POINT else 2)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Cube", "cube"), ("Red", "RED"), ("Size_0.4", "Size_0.4000000000000001"), ("Size_0.4", "Size_4e-1"),
        ("ShadowArea_0.433", "ShadowArea_-0.277"), ("ShadowArea_0.433", "ShadowArea_2"), (".png", ".PNG"),
        ("LightPosition_0", "LightPosition_0.42105263157894735"),
    ],
)  # fmt: skip
def test_ways_to_write_a_label(old, new):
    assert isinstance(parse_name(EXAMPLES["sun"].replace(old, new), SUN), FileName)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Cube", "Cone", "its shape is 'Cone'"),
        ("Red", "Pink", "its color is 'Pink'"),
        ("LightColor_SkyBlue", "LightColor_Sky", "its light color is 'Sky'"),
        ("FloorColor_SkyBlue", "FloorColor_Sky", "its floor color is 'Sky'"),
        ("Size_0.4", "Size_0.5", "its size is 0.5"),
        ("LightPosition_0", "LightPosition_8.5", "its light position is 8.5"),
        ("LightPosition_0", "LightPosition_-1", "its light position is -1"),
        ("_ShadowArea_0.433", "", "its name is not of the form Cube_Red_Size_0.4_"),
        ("LightPosition_0", "LightPosition_nan", "its name is not of the form"),
        (".png", "_Brightest_X_1_Y_1_RGB_ (1, 2, 3).png", "its name is not of the form"),
    ],
)
def test_names_that_say_nothing(old, new, message):
    assert message in parse_name(EXAMPLES["sun"].replace(old, new), SUN)


def test_a_name_of_the_other_light_is_refused():
    assert isinstance(parse_name(EXAMPLES["sun"], POINT), str) and isinstance(
        parse_name(EXAMPLES["point"], SUN), str
    )
