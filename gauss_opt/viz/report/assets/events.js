/* The list of events: filter by kind, go to one. */

function events() {
  const { counts, rows, most, energy } = data.events;
  const box = byId("events");
  const total = Object.values(counts).reduce((a, b) => a + b, 0);
  if (!total) {
    box.append(make("p", { class: "note" }, "Nothing but smooth motion: there are no events."));
    return;
  }
  const columns = [["kind"], ["t (s)", "number"], [`energy (${energy})`, "number"], ["contacts", "words"],
    ["impulses", "words"], ["remark", "remark"]];
  const impulses = (event) => event.impulses.map(([name, value, unit]) =>
    `${name} ${show(value, 6)} ${unit}`).join("; ");
  const remarks = rows.some((event) => event.remark);
  const cells = (event) => [
    make("span", {}, glyph(event.kind), event.kind),
    make("button", { type: "button", title: "Go to this event" }, show(event.t, 12)),
    event.jump ? show(event.energy_change, 6) : "",
    event.contacts.join(", "), impulses(event), event.remark,
  ].slice(0, remarks ? 6 : 5);
  const holder = table("Events", remarks ? columns : columns.slice(0, 5), []);
  const body = holder.querySelector("tbody");
  const said = make("p", { class: "note", role: "status" });
  let shown = [];

  function list(kind) {
    const chosen = rows.filter((event) => kind === null || event.kind === kind).slice(0, most);
    const all = kind === null ? total : counts[kind];
    said.textContent = chosen.length < all ? `The first ${chosen.length} of ${all} are listed.` : "";
    said.hidden = !said.textContent;
    const made = table("Events", remarks ? columns : columns.slice(0, 5), chosen.map(cells));
    const trs = [...made.querySelectorAll("tbody tr")];
    shown = chosen.map((event, i) => ({ event, row: trs[i] }));
    for (const { event, row } of shown) row.addEventListener("click", () => clock.seek(event.t));
    body.replaceChildren(...trs);
    current();
  }

  function current() {
    for (const { event, row } of shown) {
      if (event.t === clock.t) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  const kinds = [[null, "all", total], ...Object.entries(counts).map(([k, n]) => [k, k, n])];
  const buttons = kinds.map(([kind, word, n]) => {
    const button = make("button", { type: "button", on: { click: () => choose(kind) } },
      kind === null ? null : glyph(kind), `${word} ${n}`);
    return { kind, button };
  });
  function choose(kind) {
    for (const other of buttons) other.button.setAttribute("aria-pressed", String(other.kind === kind));
    list(kind);
  }
  const filter = make("div", { class: "kinds", role: "group", "aria-label": "Kinds of events" },
    ...buttons.map(({ button }) => button));
  box.append(...(kinds.length > 2 ? [filter] : []), said, holder);
  choose(null);
  clock.on("time", current);
}
