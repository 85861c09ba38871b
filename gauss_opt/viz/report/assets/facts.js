/* What is known about the run: verdict, summary, checks, parameters, settings. */

function header() {
  const state = byId("verdict");
  state.classList.add(data.success ? "ok" : "failed");
  state.append(`${data.success ? "✓" : "✗"} ${data.verdict}: `, data.message);
  byId("text").append(...data.text.map((p) => make(p.fixed ? "pre" : "p", {}, p.text)));
  byId("summary").append(...data.summary.map((item) => make("div", {},
    make("dt", {}, item.label), make("dd", {}, item.value),
    item.remark ? make("dd", { class: "note" }, item.remark) : null)));
}

function checks() {
  if (!data.checks.length) return;
  const good = data.checks.filter((check) => check.ok).length;
  const unit = (check, x) => (check.unit ? `${x} ${check.unit}` : x);
  const rows = data.checks.map((check) => [
    verdict(check.ok),
    check.what,
    unit(check, show(check.value, check.limit ? 4 : 12)),
    (check.limit ? "at most " : "") + unit(check, show(check.reference, check.limit ? 4 : 12)),
    check.limit ? "" : showSmall(check.difference),
    check.limit ? "" : showSmall(check.tolerance),
  ]);
  const all = good === data.checks.length;
  byId("checks-count").append(verdict(all, "all figures agree", "not all figures agree"),
    ` (${good} of ${data.checks.length}) with references that are not our own output`);
  byId("checks").append(table("Checks", [["verdict"], ["quantity", "words"], ["value", "number"],
    ["reference", "number"], ["difference", "number"], ["allowed", "number"]], rows));
  byId("checks").hidden = false;
}

function values() {
  if (data.parameters.length) {
    byId("parameters").append(pairs("Parameters", data.parameters));
    byId("parameters").hidden = false;
  }
  byId("settings").append(pairs("Settings", data.settings, "Settings"),
    pairs("Versions", data.versions, "Versions"));
}
