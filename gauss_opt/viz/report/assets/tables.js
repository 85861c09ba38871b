/* Tables, and the mark that says whether something is right. */

/** A table that scrolls within itself. Columns are [heading, class]; cells text or elements. */
function table(label, columns, rows, caption = null) {
  const heads = columns.map(([text, name]) => make("th", { scope: "col", class: name }, text));
  const body = rows.map((cells) => make("tr", {}, ...cells.map((cell, i) =>
    make(i === 0 ? "th" : "td", { class: columns[i][1] || null, scope: i === 0 ? "row" : null },
      cell))));
  return make("div", { class: "table", role: "region", tabindex: "0", "aria-label": label },
    make("table", {},
      caption ? make("caption", {}, caption) : null,
      make("thead", {}, make("tr", {}, ...heads)),
      make("tbody", {}, ...body)));
}

/** Names and values, without a heading row. */
const pairs = (label, rows, caption = null) =>
  make("div", { class: "table", role: "region", tabindex: "0", "aria-label": label },
    make("table", {},
      caption ? make("caption", {}, caption) : null,
      make("tbody", {}, ...rows.map(([name, value]) =>
        make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "words" }, value))))));

const verdict = (ok, good = "ok", bad = "failed") =>
  make("span", { class: `mark ${ok ? "ok" : "failed"}` }, ok ? `✓ ${good}` : `✗ ${bad}`);
