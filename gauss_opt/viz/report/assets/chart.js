/* A plot with its legend, the cursors of the shared time, and what pointer and keys do. */

const DIGITS = 5; // of values at the cursor, beside those of the neighbouring times

class Chart extends Plot {
  constructor(spec, number) {
    super(spec, number);
    this.build();
  }

  build() {
    const spec = this.spec;
    this.when = make("span", { class: "note" });
    this.legend = make("div", { class: "legend", role: "group", "aria-label": `Series of ${spec.title}` });
    fill(this.svg, {
      on: {
        pointermove: (e) => this.move(e), pointerdown: (e) => this.press(e),
        pointerup: (e) => this.release(e), pointercancel: () => this.cancel(),
        pointerleave: () => clock.point(null), dblclick: () => clock.whole(),
        keydown: (e) => this.key(e),
      },
    }, []);
    this.figure = make("figure", { class: "chart card" },
      make("figcaption", {}, make("h3", {}, `${spec.title} (${spec.unit})`), this.when),
      this.legend, this.svg);
    for (const series of this.series) this.addToLegend(series);
    if (spec.left_out) {
      this.legend.append(make("span", { class: "note" }, `${spec.left_out} more are left out`));
    }
    if (spec.without) {
      this.legend.append(make("span", { class: "note" }, `${spec.without} without force`));
    }
    if (spec.note) this.figure.append(make("p", { class: "note thinned" }, spec.note));
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

  render() {
    if (!this.width) return;
    super.render();
    this.selection = draw("rect", { class: "selection", y: MARGIN.top, height: this.tall, width: 0 });
    const bar = (name) => draw("line", { class: name, y1: MARGIN.top - 14, y2: MARGIN.top + this.tall });
    this.hoverBar = bar("hovering");
    this.bar = bar("cursor");
    this.inside.append(this.selection, this.hoverBar, this.bar);
    this.follow();
  }

  /** Both cursors, and the values at the drawn time nearest to the one that the reader looks at. */
  follow() {
    if (!this.width) return;
    const set = (bar, t) => {
      const [a, b] = clock.view;
      const seen = t !== null && t >= a && t <= b;
      bar.setAttribute("visibility", seen ? "visible" : "hidden");
      if (seen) { bar.setAttribute("x1", this.x(t)); bar.setAttribute("x2", this.x(t)); }
    };
    set(this.bar, clock.t);
    set(this.hoverBar, clock.hover === null ? null : this.drawn(clock.hover));
    const t = this.drawn(clock.hover === null ? clock.t : clock.hover);
    const mark = eventNear(t, 0);
    const shown = this.isDrawn() ? preciseTime(t, spacingAt(this.series[0].t, t)) : timeText(t);
    this.when.textContent = `values at ${shown}${mark ? `, ${mark.kind}` : ""}`;
    for (const series of this.series) series.value.textContent = this.valueAt(series, t);
  }

  /** What a series is at a drawn time, as text; at a jump, before and after it. */
  valueAt(series, t) {
    const [left, right] = this.stems ? stemAt(series, t) : at(series, t);
    const size = this.stems ? 0 : sizeAt(series, t);
    const text = (value) => showBeside(value, size, DIGITS);
    return left === right ? text(left) : `${text(left)} → ${text(right)}`;
  }

  /** Whether values are those of curves. */
  isDrawn() { return !this.stems && this.series.length > 0 && this.series[0].t.length > 0; }

  /** Of a curve only computed values are shown: those at the nearest drawn time. */
  drawn(t) {
    return this.isDrawn() ? nearest(this.series[0].t, t) : t;
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

function charts() {
  const all = data.charts.map((spec, i) => new Chart(spec, i));
  byId("charts").append(...all.map((chart) => chart.figure));
  clock.on("time", () => {
    all.forEach((chart) => chart.follow());
  });
  clock.on("view", () => {
    byId("unzoom").hidden = clock.view[0] === T0 && clock.view[1] === T0 + SPAN;
    all.forEach((chart) => chart.render());
  });
  byId("unzoom").addEventListener("click", () => clock.whole());
  return all;
}
