"use strict";
// Tables: a click on a title sorts, again the other way; the filter keeps rows that have all of its words.
for (const table of document.querySelectorAll("table")) {
  const titles = [...table.tHead.rows[0].cells];
  titles.forEach((title, column) => title.firstElementChild.addEventListener("click", () => {
    const down = title.getAttribute("aria-sort") === "ascending";
    titles.forEach(other => other.removeAttribute("aria-sort"));
    title.setAttribute("aria-sort", down ? "descending" : "ascending");
    const number = title.classList.contains("number");
    const value = row => {
      const cell = row.cells[column];
      return number ? parseFloat(cell.dataset.value) : cell.textContent;
    };
    const order = new Intl.Collator("en", { numeric: true }).compare;
    const sorted = [...table.tBodies[0].rows].map(row => [value(row), row]);
    // What has no number comes last, whichever way.
    sorted.sort(([a], [b]) => number
      ? (isNaN(a) - isNaN(b)) || (down ? b - a : a - b)
      : (down ? order(b, a) : order(a, b)));
    table.tBodies[0].append(...sorted.map(([, row]) => row));
  }));
}
for (const input of document.querySelectorAll("input[data-table]")) {
  const rows = [...document.getElementById(input.dataset.table).tBodies[0].rows];
  const texts = rows.map(row => row.textContent.toLowerCase());
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(word => word);
    let kept = 0;
    rows.forEach((row, i) => {
      row.hidden = !words.every(word => texts[i].includes(word));
      kept += !row.hidden;
    });
    document.getElementById(`${input.dataset.table}-count`).textContent = `${kept} of ${rows.length} rows`;
  });
}
// Charts: as SVG, whose ink is the page's, light or dark. Expressions are interpreted: the page allows no eval.
for (const place of document.querySelectorAll(".chart")) {
  const spec = JSON.parse(document.getElementById(place.dataset.spec).textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const options = { renderer: "svg", actions: false, ast: true, tooltip: { theme: dark ? "dark" : "light" } };
  vegaEmbed(place, spec, options).then(
    () => place.setAttribute("data-drawn", ""),
    error => { place.textContent = `This chart cannot be drawn: ${error.message}`; console.error(error); },
  );
}
