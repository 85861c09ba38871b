/* Certificates, and the acceleration by other routes. */

function proof() {
  const all = data.crosschecks;
  if (!all.length) return;
  const box = byId("proof");
  const labels = all.map((check) => check.label || "state");
  const parts = Object.keys(all[0].certificate);
  box.append(make("p", { class: "note prose" }, "Every answer carries relative residuals of the "
    + `optimality conditions, computed from the data. The worst of the whole run is ${showSmall(data.stats.worst_residual)}. `
    + "At the states below the acceleration was also computed by other routes."));
  const certificates = table("Certificates", [["state"], ["problem"],
    ...parts.map((part) => [part, "number"])],
    all.map((check, i) => [labels[i], check.problem, ...parts.map((part) => showSmall(check.certificate[part]))]),
    "Certificates");
  box.append(make("div", { class: "proof" }, certificates, ...all.map((check, i) => routes(check, labels[i]))));
  box.hidden = false;
}

function routes(check, label) {
  const timed = check.routes.some((route) => route.seconds !== null);
  const columns = [["route"], ["acceleration", "number"], ["constraint forces", "number"],
    ["residual", "number"], ["solver's own point", "number"], ["time (µs)", "number"], ["no answer because", "remark"]];
  const failed = check.routes.some((route) => route.failure);
  const keep = (cells) => cells.filter((_, i) => (timed || i !== 5) && (failed || i !== 6));
  const rows = check.routes.map((route) => keep([route.name, showSmall(route.acceleration),
    showSmall(route.multipliers), showSmall(route.residual), showSmall(route.own),
    route.seconds === null ? "–" : (1e6 * route.seconds).toFixed(0), route.failure]));
  const caption = make("span", {}, verdict(check.ok, check.verdict, check.verdict),
    label ? `: ${label}` : "",
    check.unique ? "" : " (multipliers are not unique)");
  return table(`Routes, ${label}`, keep(columns), rows, caption);
}
