"""The page in a real browser: opened from a file, with the network off."""

import os
import shutil

import pytest
from result_trees import Tree, fill

from causal_disent.report.write import write_report

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("CAUSAL_DISENT_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium is installed (apt-get install chromium, or CAUSAL_DISENT_CHROMIUM)"
)

#: Milliseconds: a browser on a busy machine takes its time.
PATIENCE = 180_000


@pytest.fixture(scope="module")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    with playwright.sync_playwright() as driver:
        # Without a sandbox of its own: it would need rights that root in a container does not give.
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=PATIENCE)
        yield browser
        browser.close()


class Reader:
    """A page that is open, what it asked for, and what it complained of."""

    def __init__(self, browser, file, **options):
        self.asked, self.said = [], []
        context = browser.new_context(offline=True, **options)
        context.set_default_timeout(PATIENCE)
        self.page = context.new_page()
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        self.page.goto(file.as_uri())
        self.page.wait_for_function(
            "document.querySelectorAll('.chart').length == document.querySelectorAll('.chart[data-drawn]').length"
        )

    def column(self, table, number):
        """What stands in a column, in the rows that are shown."""
        rows = self.page.locator(f"#{table} tbody tr:visible")
        return [row.locator("td").nth(number).inner_text() for row in rows.all()]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The page about some models, written once."""
    pages = {}

    def write(*models):
        if models not in pages:
            tree = Tree(tmp_path_factory.mktemp("report") / "tree")
            fill(tree, models=models)
            tree.picture("0/visualized/traversals/traversals.png")
            tree.curves(0, ["50,loss,3.5", "100,loss,2.5"])
            pages[models] = write_report(tree.root, tree.root.with_name("page.html"))
        return pages[models]

    return write


@pytest.fixture
def read(chromium, written):
    readers = []

    def open_page(*models, **options):
        readers.append(Reader(chromium, written(*models or ("beta_vae", "factor_vae")), **options))
        return readers[-1]

    yield open_page
    for reader in readers:
        reader.page.context.close()


def test_it_needs_nothing_but_itself_and_complains_of_nothing(read):
    reader = read()
    assert [one for one in reader.asked if not one.startswith("data:")] == [reader.page.url]
    assert reader.page.url.startswith("file:")
    assert reader.said == []
    assert reader.page.locator(".chart svg").count() == reader.page.locator(".chart").count() > 5
    assert reader.page.locator("#pictures img").first.evaluate("image => image.naturalWidth") > 0


def test_a_table_is_sorted_by_mouse_and_by_keyboard(read):
    reader = read()
    title = reader.page.locator("#best-table-2 th button", has_text="mean")
    title.click()
    numbers = [float(text) for text in reader.column("best-table-2", 3)]
    assert numbers == sorted(numbers) and len(set(numbers)) > 3
    title.focus()
    reader.page.keyboard.press("Enter")
    assert [float(text) for text in reader.column("best-table-2", 3)] == sorted(numbers, reverse=True)
    assert reader.page.locator("#best-table-2 th[aria-sort]").get_attribute("aria-sort") == "descending"
    reader.page.locator("#best-table-2 th button", has_text="score").click()
    assert reader.column("best-table-2", 0) == sorted(reader.column("best-table-2", 0), key=str.lower)


def test_a_table_is_filtered(read):
    reader = read()
    everything = len(reader.column("best-table-2", 0))
    reader.page.locator("input[data-table=best-table-2]").fill("factor_vae  IRS")
    assert set(reader.column("best-table-2", 2)) == {"factor_vae"}
    assert set(reader.column("best-table-2", 0)) == {"IRS"}
    assert reader.page.locator("#best-table-2-count").inner_text() == f"2 of {everything} rows"
    reader.page.locator("input[data-table=best-table-2]").fill("")
    assert len(reader.column("best-table-2", 0)) == everything


def test_a_chart_tells_its_numbers(read):
    reader = read()
    reader.page.locator("#best-chart-1 svg .mark-symbol.role-mark path").last.hover(force=True)
    tip = reader.page.locator("#vg-tooltip-element.visible")
    tip.wait_for()
    assert "factor_vae" in tip.inner_text() and "mean" in tip.inner_text()
    assert reader.said == []


def test_the_reader_chooses_which_scores_are_compared(read):
    reader = read()
    place = reader.page.locator("#agreement-chart-2")
    before = place.locator("svg .mark-symbol path").first.get_attribute("transform")
    place.locator("select").first.select_option(label="UC")
    reader.page.wait_for_function(
        "then => document.querySelector('#agreement-chart-2 svg .mark-symbol path')"
        ".getAttribute('transform') != then",
        arg=before,
    )
    assert reader.said == []


def test_on_a_phone_nothing_is_wider_than_the_screen(read):
    reader = read(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= 390
    reader.page.locator("nav a").nth(1).tap()
    assert reader.page.evaluate("location.hash") == "#real"


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_its_colors_follow_the_system(read, scheme, dark):
    reader = read(color_scheme=scheme)

    def brightness(selector, part):
        color = reader.page.locator(selector).first.evaluate(f"one => getComputedStyle(one).{part}")
        return sum(int(number) for number in color.strip("rgb()").split(",")[:3]) / 3

    paper = brightness("body", "backgroundColor")
    assert (paper < 60) == dark
    # The charts' ink is the page's.
    for selector, part in (("p", "color"), (".chart svg .role-axis-label text", "fill")):
        assert abs(brightness(selector, part) - paper) > 90


def test_it_prints_what_the_screen_scrolls(read):
    reader = read()
    reader.page.emulate_media(media="print", color_scheme="dark")
    assert not reader.page.locator("nav").is_visible() and not reader.page.locator(".tools").first.is_visible()
    box = reader.page.locator(".wide").nth(1)
    assert box.evaluate("one => one.scrollHeight <= one.clientHeight + 1")
    reader.page.set_viewport_size({"width": 720, "height": 1000})  # A4 within its margins
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= 720
    for chart in reader.page.locator(".chart").all():
        assert chart.evaluate("one => one.scrollWidth <= one.clientWidth + 1")
    assert reader.page.pdf()[:5] == b"%PDF-"


def test_every_control_is_reached_by_the_keyboard(read):
    reader = read()
    reader.page.keyboard.press("Tab")
    assert reader.page.evaluate("document.activeElement.className") == "skip"
    seen = set()
    for _ in range(60):
        reader.page.keyboard.press("Tab")
        seen.add(reader.page.evaluate("document.activeElement.tagName"))
    assert {"A", "INPUT", "BUTTON"} <= seen


def test_hostile_names_do_nothing(read):
    reader = read("factor_vae", HOSTILE)
    assert HOSTILE in reader.column("best-table-2", 2)
    reader.page.locator("#best-chart-1 svg .mark-symbol.role-mark path").last.hover(force=True)
    tip = reader.page.locator("#vg-tooltip-element.visible")
    tip.wait_for()
    assert HOSTILE in tip.inner_text()
    assert reader.page.locator("img[src=x]").count() == 0
    assert reader.said == [] and all(one.startswith(("file:", "data:")) for one in reader.asked)


def test_a_script_that_got_in_would_not_run(chromium, written, tmp_path):
    text = written("beta_vae", "factor_vae").read_text()
    file = tmp_path / "page.html"
    file.write_text(text.replace("</main>", "<script>window.ran = true</script></main>"))
    reader = Reader(chromium, file)
    assert reader.page.evaluate("window.ran") is None
    assert any("Content Security Policy" in one for one in reader.said)
    reader.page.context.close()
