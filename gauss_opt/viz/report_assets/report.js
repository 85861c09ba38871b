"use strict";
/* A report draws itself from the JSON in its page.

   Text only ever enters the page as text nodes and attributes, never as markup. Parts, in order:
   elements, numbers, clock (the time that player and charts share), tables, charts, scene,
   player, events, cross-checks. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);

  // ---------------------------------------------------------------- elements

  const SVG = byId("scene").namespaceURI;

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "on") {
        for (const [type, handler] of Object.entries(value)) element.addEventListener(type, handler);
      } else if (value !== null && value !== undefined && value !== false) {
        element.setAttribute(name, value === true ? "" : String(value));
      }
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  /** An HTML element; strings among the children become text. */
  const make = (tag, attributes = {}, ...children) =>
    fill(document.createElement(tag), attributes, children);

  /** An SVG element. */
  const draw = (tag, attributes = {}, ...children) =>
    fill(document.createElementNS(SVG, tag), attributes, children);

  // ---------------------------------------------------------------- numbers

  const SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶",
    7: "⁷", 8: "⁸", 9: "⁹" };
  const superscript = (n) => String(n).replace(/[-0-9]/g, (c) => SUPERSCRIPTS[c]);

  /** A number to so many significant digits, without trailing zeros. */
  function show(x, digits = 6) {
    if (x === null || x === undefined) return "–";
    if (x === 0) return "0";
    const size = Math.abs(x);
    if (size >= 1e7 || size < 1e-4) {
      const [mantissa, power] = x.toExponential(Math.min(digits, 5) - 1).split("e");
      return `${mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa}e${Number(power)}`;
    }
    const text = x.toPrecision(digits);
    if (text.includes("e")) return String(Number(text));
    return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  }

  /** A small number such as a residual: two digits and a power. */
  const showSmall = (x) => (x === null ? "–" : x === 0 ? "0" : x.toExponential(1));

  /** Round steps between low and high, about `count` of them. */
  function ticks(low, high, count) {
    const rough = (high - low) / Math.max(count, 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough * 0.999);
    const first = Math.ceil(low / step - 1e-9);
    const values = [];
    // Counted from 0: far from zero, first + 1 can be first.
    for (let i = 0; i <= 2 * count + 2; i += 1) {
      const value = (first + i) * step;
      if (value > high + 1e-9 * step) break;
      if (!values.length || value > values[values.length - 1]) values.push(value);
    }
    return { values, step };
  }

  const decimals = (step) => Math.max(0, -Math.floor(Math.log10(step) + 1e-9));

  /** First index whose entry is at least x (or beyond x). */
  function lowerBound(sorted, x, beyond = false) {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < x || (beyond && sorted[middle] === x)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // ---------------------------------------------------------------- clock

  /* The time that everything shows, the time under the pointer, and the interval in view. */
  const [T0, T1] = data.span;
  const SPAN = T1 - T0 || 1;
  const clock = {
    t: T0,
    hover: null,
    view: [T0, T0 + SPAN],
    playing: false,
    speed: data.speed,
    watchers: { time: [], view: [], state: [] },
    on(topic, watcher) { this.watchers[topic].push(watcher); },
    tell(topic) { for (const watcher of this.watchers[topic]) watcher(); },
    seek(t) { this.t = Math.min(Math.max(t, T0), T1); this.tell("time"); },
    point(t) { if (this.hover !== t) { this.hover = t; this.tell("time"); } },
    zoom(a, b) {
      const low = Math.max(Math.min(a, b), T0);
      const high = Math.min(Math.max(a, b), T0 + SPAN);
      if (high - low < 1e-10 * SPAN) return;
      this.view = [low, high];
      this.tell("view");
    },
    zoomBy(factor) {
      const [a, b] = this.view;
      const middle = this.t >= a && this.t <= b ? this.t : (a + b) / 2;
      this.zoom(middle - (middle - a) * factor, middle + (b - middle) * factor);
    },
    whole() { this.view = [T0, T0 + SPAN]; this.tell("view"); },
  };

  const MARKS = Object.entries(data.marks)
    .flatMap(([kind, times]) => times.map((t) => ({ kind, t })))
    .sort((a, b) => a.t - b.t);
  const MARK_TIMES = MARKS.map((mark) => mark.t);

  /** Go to the next event in a direction, if there is one. */
  function toEvent(direction) {
    const times = MARK_TIMES;
    const i = direction > 0 ? lowerBound(times, clock.t, true) : lowerBound(times, clock.t) - 1;
    if (i >= 0 && i < times.length) clock.seek(times[i]);
  }

  /** The event next to a time, no further away than `reach`. */
  function eventNear(t, reach) {
    const i = lowerBound(MARK_TIMES, t);
    const near = [MARKS[i - 1], MARKS[i]].filter((mark) => mark && Math.abs(mark.t - t) <= reach);
    return near.sort((a, b) => Math.abs(a.t - t) - Math.abs(b.t - t))[0] || null;
  }

  /* Each kind of event has a glyph of its own: colour alone is not enough. */
  const GLYPHS = {
    impact: "M-4.5-4h9L0 4.5Z",
    release: "M-4.5 4h9L0-4.5Z",
    accumulation: "M0-5L5 0L0 5L-5 0Z",
    graze: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z",
    limit: "M-4-4h8v8h-8Z",
    user: "M0-5L1.4-1.5L5-1.5L2.1.8L3.1 4.4L0 2.3L-3.1 4.4L-2.1.8L-5-1.5L-1.4-1.5Z",
  };
  const kindClass = (kind) => (Object.hasOwn(GLYPHS, kind) ? kind : "user");
  const glyph = (kind) => draw("svg", { class: "glyph", viewBox: "-6 -6 12 12", "aria-hidden": "true" },
    draw("path", { d: GLYPHS[kindClass(kind)], class: kindClass(kind) }));

  // ---------------------------------------------------------------- tables

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

  function header() {
    const state = byId("verdict");
    state.classList.add(data.success ? "ok" : "failed");
    state.append(data.success ? "✓ success: " : `✗ no success (${data.status}): `, data.message);
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

  // ---------------------------------------------------------------- charts

  const MARGIN = { left: 58, right: 14, top: 20, bottom: 24 };
  const COLOURS = 7;
  const AT_FIRST = 8; // series shown before the reader asks for more
  const seriesClass = (i) => `s${i % COLOURS} d${Math.floor(i / COLOURS) % 4}`;

  class Chart {
    constructor(spec, number) {
      this.spec = spec;
      this.stems = spec.kind === "stems";
      this.series = spec.series.map((series, i) => ({ ...series, t: series.t || data.times[spec.t], i,
        on: i < AT_FIRST || spec.series.length <= AT_FIRST + 4 }));
      this.clip = `clip-${number}`;
      this.build();
    }

    build() {
      const spec = this.spec;
      this.when = make("span", { class: "note" });
      this.legend = make("div", { class: "legend", role: "group", "aria-label": `Series of ${spec.title}` });
      this.svg = draw("svg", { class: "plot", tabindex: "0", role: "application",
        "aria-roledescription": "chart",
        "aria-label": `${spec.title} in ${spec.unit} over time in seconds. Arrow keys move the time, `
          + "plus and minus zoom, Escape shows everything.",
        on: {
          pointermove: (e) => this.move(e), pointerdown: (e) => this.press(e),
          pointerup: (e) => this.release(e), pointercancel: () => this.cancel(),
          pointerleave: () => clock.point(null), dblclick: () => clock.whole(),
          keydown: (e) => this.key(e),
        } });
      this.figure = make("figure", { class: "chart card" },
        make("figcaption", {}, make("h3", {}, `${spec.title} (${spec.unit})`), this.when),
        this.legend, this.svg);
      for (const series of this.series) this.addToLegend(series);
      if (spec.left_out) {
        this.legend.append(make("span", { class: "note" }, `${spec.left_out} more are left out`));
      }
    }

    addToLegend(series) {
      series.value = make("span", { class: "value" });
      series.button = make("button", { type: "button", "aria-pressed": series.on,
        title: "Show or hide", on: { click: () => this.toggle(series) } },
        draw("svg", { viewBox: "0 0 22 10", "aria-hidden": "true" },
          draw("path", { d: "M1 5H21", class: `curve ${seriesClass(series.i)}` })),
        make("span", { class: "name" }, series.name), series.value);
      series.button.setAttribute("aria-pressed", String(series.on));
      this.legend.append(series.button);
    }

    toggle(series) {
      series.on = !series.on;
      series.button.setAttribute("aria-pressed", String(series.on));
      this.render();
    }

    // Geometry

    x(t) { const [a, b] = clock.view; return MARGIN.left + ((t - a) / (b - a)) * this.inner; }
    y(v) { return MARGIN.top + ((this.high - v) / (this.high - this.low)) * this.tall; }
    timeAt(px) {
      const [a, b] = clock.view;
      return a + Math.min(Math.max((px - MARGIN.left) / this.inner, 0), 1) * (b - a);
    }

    /** Size of the drawing in pixels, then everything in it. */
    resize() {
      const width = Math.max(this.svg.clientWidth || 600, 200);
      this.width = width;
      this.height = width < 460 ? 190 : 215;
      this.inner = width - MARGIN.left - MARGIN.right;
      this.tall = this.height - MARGIN.top - MARGIN.bottom;
      this.svg.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
      this.svg.setAttribute("height", this.height);
      this.render();
    }

    /** Range of the values in view. */
    range() {
      const [a, b] = clock.view;
      let low = this.spec.zero ? 0 : Infinity;
      let high = this.spec.zero ? 0 : -Infinity;
      const take = (v) => { if (v !== null) { low = Math.min(low, v); high = Math.max(high, v); } };
      for (const series of this.series) {
        if (!series.on) continue;
        if (!this.stems) for (const edge of [a, b]) at(series, edge).forEach(take);
        for (let i = lowerBound(series.t, a); i < series.t.length && series.t[i] <= b; i += 1) {
          take(series.y[i]);
        }
      }
      if (low > high) { low = 0; high = 1; }
      const size = Math.max(Math.abs(low), Math.abs(high));
      if (high - low <= 1e-9 * size || size === 0) {
        const room = size > 0 ? 0.1 * size : 1;
        low -= room;
        high += room;
      }
      const room = 0.06 * (high - low);
      this.low = this.spec.zero && low === 0 ? low - 0.6 * room : low - room;
      this.high = this.spec.zero && high === 0 ? high + 0.6 * room : high + room;
    }

    // Drawing

    render() {
      if (!this.width) return;
      this.range();
      const clip = draw("clipPath", { id: this.clip }, draw("rect",
        { x: MARGIN.left, y: 0, width: this.inner, height: MARGIN.top + this.tall + 1 }));
      const inside = draw("g", { "clip-path": `url(#${this.clip})` });
      const [lines, glyphs] = this.eventMarks();
      inside.append(...lines);
      this.svg.replaceChildren(draw("defs", {}, clip), ...this.axes(), inside, ...glyphs);
      for (const series of this.series) {
        if (series.on) inside.append(...(this.stems ? this.stemPaths(series) : this.curvePaths(series)));
      }
      this.selection = draw("rect", { class: "selection", y: MARGIN.top, height: this.tall, width: 0 });
      const bar = (name) => draw("line", { class: name, y1: MARGIN.top - 14, y2: MARGIN.top + this.tall });
      this.hoverBar = bar("hovering");
      this.bar = bar("cursor");
      inside.append(this.selection, this.hoverBar, this.bar);
      this.follow();
    }

    axes() {
      const parts = [];
      const bottom = MARGIN.top + this.tall;
      const across = ticks(this.low, this.high, this.tall / 30);
      const largest = Math.max(...across.values.map(Math.abs), across.step);
      // Very large and very small values get a common power of ten above the axis.
      const power = largest >= 1e5 || largest < 1e-2 ? Math.floor(Math.log10(largest) + 1e-9) : 0;
      const digits = Math.min(decimals(across.step / 10 ** power), 10);
      for (const v of across.values) {
        const y = this.y(v);
        const isZero = Math.abs(v) < 1e-9 * across.step;
        parts.push(draw("line", { class: isZero ? "zero" : "grid", x1: MARGIN.left,
          x2: MARGIN.left + this.inner, y1: y, y2: y }));
        parts.push(draw("text", { x: MARGIN.left - 7, y: y + 4, "text-anchor": "end" },
          isZero ? "0" : (v / 10 ** power).toFixed(digits)));
      }
      if (power) {
        parts.push(draw("text", { x: MARGIN.left - 7, y: 11, "text-anchor": "end" }, `×10${superscript(power)}`));
      }
      const [a, b] = clock.view;
      const room = 30 + 7 * decimals((b - a) / 5);
      const along = ticks(a, b, Math.max(2, Math.min(10, this.inner / room / 1.25)));
      const places = Math.min(decimals(along.step), 12);
      along.values.forEach((t, i) => {
        const x = this.x(t);
        const last = i === along.values.length - 1;
        parts.push(draw("line", { class: "grid", x1: x, x2: x, y1: MARGIN.top, y2: bottom }));
        parts.push(draw("text", { x: Math.min(x, this.width - 6), y: bottom + 16,
          "text-anchor": x > this.width - 30 ? "end" : "middle" },
          t.toFixed(places) + (last ? " s" : "")));
      });
      return parts;
    }

    /** Thin lines at events in view, and glyphs above them that say of which kind they are. */
    eventMarks() {
      const [a, b] = clock.view;
      const lines = [];
      const glyphs = [];
      let lastLine = -9;
      const lastGlyph = {};
      for (let i = lowerBound(MARK_TIMES, a); i < MARKS.length && MARKS[i].t <= b; i += 1) {
        const { kind, t } = MARKS[i];
        const x = this.x(t);
        const name = kindClass(kind);
        if (x - lastLine >= 1.5) {
          lines.push(draw("line", { class: `when ${name}`, x1: x, x2: x, y1: MARGIN.top, y2: MARGIN.top + this.tall }));
          lastLine = x;
        }
        if (!(x - lastGlyph[name] < 5)) {
          glyphs.push(draw("path", { class: name, d: GLYPHS[name], transform: `translate(${x.toFixed(1)} 10) scale(.8)` }));
          lastGlyph[name] = x;
        }
      }
      return [lines, glyphs];
    }

    /** The curve in view, broken at jumps, and the jumps as dotted lines. */
    curvePaths({ t, y, i: number }) {
      const [a, b] = clock.view;
      const start = Math.max(lowerBound(t, a) - 1, 0);
      const end = Math.min(lowerBound(t, b, true) + 1, t.length);
      let curve = "";
      let jumps = "";
      let pen = "M";
      for (let i = start; i < end; i += 1) {
        if (y[i] === null) { pen = "M"; continue; }
        const place = `${this.x(t[i]).toFixed(2)} ${this.y(y[i]).toFixed(2)}`;
        if (i > start && t[i] === t[i - 1] && y[i - 1] !== null) {
          if (y[i] === y[i - 1]) continue;
          jumps += `M${this.x(t[i]).toFixed(2)} ${this.y(y[i - 1]).toFixed(2)}L${place}`;
          pen = "M";
        }
        curve += pen + place;
        pen = "L";
      }
      return [draw("path", { class: `jump ${seriesClass(number)}`, d: jumps }),
        draw("path", { class: `curve ${seriesClass(number)}`, d: curve, "data-series": number })];
    }

    stemPaths({ t, y, i: number }) {
      const [a, b] = clock.view;
      const zero = this.y(0).toFixed(2);
      let stems = "";
      let heads = "";
      for (let i = lowerBound(t, a); i < t.length && t[i] <= b; i += 1) {
        if (y[i] === null) continue;
        const x = this.x(t[i]);
        const top = this.y(y[i]);
        stems += `M${x.toFixed(2)} ${zero}V${top.toFixed(2)}`;
        heads += `M${(x - 2.5).toFixed(2)} ${top.toFixed(2)}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0`;
      }
      return [draw("path", { class: `stem ${seriesClass(number)}`, d: stems, "data-series": number }),
        draw("path", { class: `stem s${number % COLOURS}`, d: heads })];
    }

    // Time

    /** Both cursors, and the values at the one that the reader looks at. */
    follow() {
      if (!this.width) return;
      const set = (bar, t) => {
        const [a, b] = clock.view;
        const seen = t !== null && t >= a && t <= b;
        bar.setAttribute("visibility", seen ? "visible" : "hidden");
        if (seen) { bar.setAttribute("x1", this.x(t)); bar.setAttribute("x2", this.x(t)); }
      };
      set(this.bar, clock.t);
      set(this.hoverBar, clock.hover);
      const t = clock.hover === null ? clock.t : clock.hover;
      for (const series of this.series) {
        const found = this.stems ? stemAt(series, t) : at(series, t);
        const [left, right] = found;
        series.value.textContent = left === right ? show(left, 5) : `${show(left, 5)} → ${show(right, 5)}`;
      }
    }

    place(event) {
      const box = this.svg.getBoundingClientRect();
      const px = ((event.clientX - box.left) / box.width) * this.width;
      const t = this.timeAt(px);
      const [a, b] = clock.view;
      const near = eventNear(t, (5 / this.inner) * (b - a));
      return { px, t: near ? near.t : t };
    }

    move(event) {
      const { px, t } = this.place(event);
      if (this.pressed !== undefined && Math.abs(px - this.pressed) > 6) this.dragging = true;
      if (this.dragging) {
        this.selection.setAttribute("x", Math.min(px, this.pressed));
        this.selection.setAttribute("width", Math.abs(px - this.pressed));
      }
      clock.point(t);
    }

    press(event) {
      if (event.button !== 0) return;
      this.pressed = this.place(event).px;
      this.svg.setPointerCapture(event.pointerId);
    }

    release(event) {
      if (this.pressed === undefined) return;
      const { px, t } = this.place(event);
      const from = this.pressed;
      const dragged = this.dragging;
      this.cancel();
      if (dragged) clock.zoom(this.timeAt(from), this.timeAt(px));
      else clock.seek(t);
      if (event.pointerType === "touch") clock.point(null);
    }

    cancel() {
      this.pressed = undefined;
      this.dragging = false;
      this.selection.setAttribute("width", 0);
    }

    key(event) {
      const step = (clock.view[1] - clock.view[0]) / 200;
      const actions = {
        ArrowLeft: () => (event.shiftKey ? toEvent(-1) : clock.seek(clock.t - step)),
        ArrowRight: () => (event.shiftKey ? toEvent(1) : clock.seek(clock.t + step)),
        "+": () => clock.zoomBy(0.5), "=": () => clock.zoomBy(0.5), "-": () => clock.zoomBy(2),
        Escape: () => clock.whole(), " ": () => play(!clock.playing),
      };
      if (!Object.hasOwn(actions, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      actions[event.key]();
    }
  }

  /** Values of a curve on both sides of a time; they differ at a jump. */
  function at({ t, y }, time) {
    if (!t.length) return [null, null];
    const first = lowerBound(t, time);
    if (t[first] === time) return [y[first], y[lowerBound(t, time, true) - 1]];
    if (first === 0 || first === t.length) return [null, null];
    const [a, b] = [y[first - 1], y[first]];
    if (a === null || b === null) return [null, null];
    const value = a + ((time - t[first - 1]) / (t[first] - t[first - 1])) * (b - a);
    return [value, value];
  }

  /** The value of a stem that stands at a time. */
  function stemAt({ t, y }, time) {
    const i = lowerBound(t, time);
    const value = i < t.length && t[i] === time ? y[i] : null;
    return [value, value];
  }

  function charts() {
    const all = data.charts.map((spec, i) => new Chart(spec, i));
    byId("charts").append(...all.map((chart) => chart.figure));
    clock.on("time", () => {
      all.forEach((chart) => chart.follow());
      const mark = clock.hover === null ? null : eventNear(clock.hover, 0);
      const text = clock.hover === null ? "" : `at ${timeText(clock.hover)}${mark ? `, ${mark.kind}` : ""}`;
      all.forEach((chart) => { chart.when.textContent = text; });
    });
    clock.on("view", () => {
      byId("unzoom").hidden = clock.view[0] === T0 && clock.view[1] === T0 + SPAN;
      all.forEach((chart) => chart.render());
    });
    byId("unzoom").addEventListener("click", () => clock.whole());
    return all;
  }

  // ---------------------------------------------------------------- scene

  class Scene {
    constructor(film) {
      this.film = film;
      this.svg = byId("scene");
      this.shapes = film.shapes.map((shape) => ({ ...shape, element: Scene.element(shape) }));
      this.scale = draw("path", { class: "scale" });
      this.scaleText = draw("text", { class: "scale-text" });
      const trails = this.shapes.filter((shape) => shape.kind === "trail");
      const others = this.shapes.filter((shape) => shape.kind !== "trail");
      // Trails lie on the ground but below what moves.
      const fixed = others.filter((shape) => !shape.moving);
      const moving = others.filter((shape) => shape.moving);
      const elements = [...fixed, ...trails, ...moving].map((shape) => shape.element);
      this.svg.replaceChildren(...elements, this.scale, this.scaleText);
    }

    static element({ kind, role, size, text }) {
      const tag = { line: "polyline", polygon: "polygon", disc: "circle", dot: "circle", arrow: "path",
        trail: "polyline", text: "text" }[kind];
      const name = `shape role-${role} ${kind === "text" ? "words" : kind}`;
      if (kind !== "text") return draw(tag, { class: name });
      return draw(tag, { class: name, "font-size": `${size * 1.3}px`, "text-anchor": "middle",
        "dominant-baseline": "central" }, text);
    }

    /** Fit the film's bounds into the stage with one scale for both axes. */
    resize() {
      const [left, right, bottom, top] = this.film.bounds;
      const width = Math.max(byId("stage").clientWidth, 200);
      const most = width < 460 ? 320 : Math.max(240, Math.min(440, window.innerHeight - 330));
      const height = Math.min(Math.max((width * (top - bottom)) / (right - left), 130), most);
      const full = height + (this.film.to_scale ? 22 : 0);
      this.unit = Math.min(width / (right - left), height / (top - bottom));
      this.x0 = width / 2 - (this.unit * (left + right)) / 2;
      this.y0 = height / 2 + (this.unit * (bottom + top)) / 2;
      this.svg.setAttribute("viewBox", `0 0 ${width} ${full}`);
      this.svg.setAttribute("height", full);
      for (const shape of this.shapes) {
        shape.pixels = shape.points.map((frame) => frame.map((v, i) =>
          (i % 2 ? this.y0 - this.unit * v : this.x0 + this.unit * v)));
        if (shape.kind === "trail") {
          shape.path = shape.pixels.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`);
        }
      }
      if (this.film.to_scale) this.ruler(width, full);
      this.update();
    }

    /** A length to compare with, in the lower right corner. */
    ruler(width, height) {
      const length = ticks(0, width / this.unit, 8).step;
      const end = width - 14;
      const start = end - length * this.unit;
      this.scale.setAttribute("d", `M${start} ${height - 14}v5h${length * this.unit}v-5`);
      this.scaleText.setAttribute("x", start - 8);
      this.scaleText.setAttribute("y", height - 8);
      this.scaleText.textContent = `${show(length, 3)} m`;
    }

    update() {
      if (!this.unit) return; // not laid out yet
      const { times } = this.film;
      const last = times.length - 1;
      const frame = Math.max(0, Math.min(lowerBound(times, clock.t, true), last) - 1);
      const length = last > 0 ? times[frame + 1] - times[frame] : 0;
      const share = length > 0 ? Math.min(Math.max((clock.t - times[frame]) / length, 0), 1) : 0;
      for (const shape of this.shapes) {
        const now = shape.pixels[Math.min(frame, shape.pixels.length - 1)];
        const next = shape.pixels[Math.min(frame + 1, shape.pixels.length - 1)];
        this.move(shape, now.map((v, i) => v + share * (next[i] - v)), frame);
        this.light(shape);
      }
    }

    move(shape, p, frame) {
      const { element, kind } = shape;
      const points = () => {
        const list = [];
        for (let i = 0; i < p.length; i += 2) list.push(`${p[i].toFixed(2)},${p[i + 1].toFixed(2)}`);
        return list.join(" ");
      };
      if (kind === "line" || kind === "polygon") {
        element.setAttribute("points", points());
      } else if (kind === "trail") {
        const path = shape.path.slice(0, shape.moving ? frame + 1 : 1).join(" ");
        element.setAttribute("points", `${path} ${points()}`);
      } else if (kind === "arrow") {
        element.setAttribute("d", arrow(p, shape.size));
      } else if (kind === "text") {
        element.setAttribute("x", p[0].toFixed(2));
        element.setAttribute("y", p[1].toFixed(2));
      } else {
        element.setAttribute("cx", p[0].toFixed(2));
        element.setAttribute("cy", p[1].toFixed(2));
        element.setAttribute("r", kind === "disc" ? shape.size * this.unit : shape.size);
      }
    }

    /** Bright at an impact of one of its contacts, then fading. */
    light(shape) {
      let light = 0;
      for (const name of shape.contacts) {
        const times = Object.hasOwn(this.film.impacts, name) ? this.film.impacts[name] : [];
        const i = lowerBound(times, clock.t * (1 + 1e-11) + 1e-11 * SPAN, true) - 1;
        if (i >= 0) light = Math.max(light, 1 - (clock.t - times[i]) / clock.speed / this.film.flash);
      }
      const line = { line: shape.size, trail: shape.size, arrow: shape.size, polygon: 1.5 }[shape.kind] || 1;
      const style = shape.element.style;
      if (shape.kind === "text") return;
      style.strokeWidth = `${line + 4 * Math.max(light, 0)}px`;
      style.stroke = light > 0 ? `color-mix(in srgb, var(--flash) ${Math.round(100 * Math.min(light, 1))}%, var(--own))` : "";
    }
  }

  /** An arrow with its head, as a path. */
  function arrow([x1, y1, x2, y2], width) {
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length < 1) return "";
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const head = Math.min(4 + 2.5 * width, 0.6 * length);
    const [bx, by] = [x2 - head * ux, y2 - head * uy];
    const wing = 0.45 * head;
    return `M${x1} ${y1}L${x2} ${y2}M${bx - wing * uy} ${by + wing * ux}L${x2} ${y2}L${bx + wing * uy} ${by - wing * ux}`;
  }

  // ---------------------------------------------------------------- player

  const TIME_PLACES = Math.min(12, Math.max(3, 4 - Math.floor(Math.log10(SPAN))));
  const timeText = (t) => `t = ${SPAN < 1e-6 ? show(t, 9) : t.toFixed(TIME_PLACES)} s`;

  /** Start or stop; from the end it starts again. */
  function play(on) {
    if (on && clock.t >= T1) clock.seek(T0);
    clock.playing = on && T1 > T0;
    clock.tell("state");
    if (!clock.playing) return;
    let before = null;
    const step = (now) => {
      if (!clock.playing) return;
      if (before !== null) clock.seek(clock.t + (Math.min(now - before, 250) / 1000) * clock.speed);
      before = now;
      if (clock.t >= T1) play(false);
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  function speeds() {
    const select = byId("speed");
    const factors = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
    for (const factor of factors) {
      const speed = Number((factor * data.speed).toPrecision(6));
      select.append(make("option", { value: speed, selected: factor === 1 }, `${show(speed, 4)} ×`));
    }
    const tell = () => {
      clock.speed = Number(select.value);
      const film = (T1 - T0) / clock.speed;
      byId("factor").textContent = `${show(clock.speed, 4)} × real time: one second shown is `
        + `${show(clock.speed, 4)} s simulated, all of it lasts ${show(film, 3)} s`;
      clock.tell("time");
    };
    select.addEventListener("change", tell);
    tell();
  }

  /** Marks of events above the slider; the knob's width is left free on both sides. */
  function strip() {
    const svg = byId("strip");
    const width = svg.clientWidth || 300;
    svg.setAttribute("viewBox", `0 0 ${width} 12`);
    let last = -9;
    svg.replaceChildren(...MARKS.flatMap(({ kind, t }) => {
      const x = 8 + ((t - T0) / SPAN) * (width - 16);
      if (x - last < 3 && kind === "impact") return [];
      last = x;
      return [draw("path", { class: kindClass(kind), d: GLYPHS[kindClass(kind)], transform: `translate(${x.toFixed(1)} 6) scale(.7)` })];
    }));
  }

  function player() {
    const slider = byId("slider");
    slider.min = T0;
    slider.max = T1;
    slider.step = T1 > T0 ? (T1 - T0) / 2000 : 1;
    slider.disabled = !(T1 > T0);
    slider.addEventListener("input", () => clock.seek(Number(slider.value)));
    byId("play").addEventListener("click", () => play(!clock.playing));
    byId("previous").addEventListener("click", () => toEvent(-1));
    byId("next").addEventListener("click", () => toEvent(1));
    byId("previous").disabled = byId("next").disabled = !MARKS.length;
    clock.on("time", () => {
      slider.value = clock.t;
      slider.setAttribute("aria-valuetext", timeText(clock.t));
      byId("now").textContent = timeText(clock.t);
    });
    clock.on("state", () => {
      byId("play").textContent = clock.playing ? "❚❚ Pause" : "▶ Play";
      byId("play").setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    });
    clock.tell("state");
    if (!data.scene) {
      byId("stage").hidden = true;
      return null;
    }
    const scene = new Scene(data.scene);
    clock.on("time", () => scene.update());
    return scene;
  }

  // ---------------------------------------------------------------- events

  function events() {
    const { counts, rows, most } = data.events;
    const box = byId("events");
    const total = Object.values(counts).reduce((a, b) => a + b, 0);
    if (!total) {
      box.append(make("p", { class: "note" }, "Nothing but smooth motion: there are no events."));
      return;
    }
    const columns = [["kind"], ["t (s)", "number"], ["energy (J)", "number"], ["contacts", "words"],
      ["impulses (N s)"], ["remark", "remark"]];
    const impulses = (event) => event.impulses.map(([name, values]) =>
      `${name} ${values.map((x) => show(x, 6)).join(", ")}`).join("; ");
    const remarks = rows.some((event) => event.remark);
    const cells = (event) => [
      make("span", {}, glyph(event.kind), event.kind),
      make("button", { type: "button", title: "Go to this event" }, show(event.t, 12)),
      event.impulses.length ? show(event.energy_change, 6) : "",
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

  // ---------------------------------------------------------------- cross-checks

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
      ["residual", "number"], ["solver's own point", "number"], ["time (µs)", "number"], ["failure", "remark"]];
    const failed = check.routes.some((route) => route.failure);
    const keep = (cells) => cells.filter((_, i) => (timed || i !== 5) && (failed || i !== 6));
    const rows = check.routes.map((route) => keep([route.name, showSmall(route.acceleration),
      showSmall(route.multipliers), showSmall(route.residual), showSmall(route.own),
      route.seconds === null ? "–" : (1e6 * route.seconds).toFixed(0), route.failure]));
    const caption = make("span", {}, verdict(check.ok, "routes agree", "routes disagree"),
      ` to ${showSmall(check.tolerance)}: ${label}`,
      check.unique ? "" : " (multipliers are not unique)");
    return table(`Routes, ${label}`, keep(columns), rows, caption);
  }

  // ---------------------------------------------------------------- start

  header();
  checks();
  values();
  const curves = charts();
  const scene = player();
  events();
  proof();
  speeds();
  const resize = () => {
    strip();
    if (scene) scene.resize();
    curves.forEach((chart) => chart.resize());
  };
  let waiting = false;
  new ResizeObserver(() => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; resize(); });
  }).observe(byId("charts"));
  resize();
  clock.seek(T0);
})();
