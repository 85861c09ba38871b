/* A plot over time: its scales, axes, event marks and curves. */

const MARGIN = { left: 58, right: 14, top: 20, bottom: 24 };
const AT_FIRST = 8; // series shown before the reader asks for more

/** Curves or stems over the time in view. */
class Plot {
  constructor(spec, number) {
    this.spec = spec;
    this.stems = spec.kind === "stems";
    this.series = spec.series.map((series, i) => ({ ...series, t: series.t || data.times[spec.t], i,
      on: i < AT_FIRST || spec.series.length <= AT_FIRST + 4 }));
    this.clip = `clip-${number}`;
    this.svg = draw("svg", { class: "plot", tabindex: "0", role: "application",
      "aria-roledescription": "chart",
      "aria-label": `${spec.title} in ${spec.unit} over time in seconds. Arrow keys move the time, `
        + "plus and minus zoom, Escape shows everything." });
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
      if (!this.stems) for (const edge of [a, b]) chord(series, edge).forEach(take);
      for (let i = lowerBound(series.t, a); i < series.t.length && series.t[i] <= b; i += 1) {
        take(series.y[i]);
      }
    }
    if (low > high) { low = 0; high = 1; }
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (high - low <= 1e-9 * size || size <= this.spec.least) {
      const room = Math.max(0.1 * size, 1e8 * this.spec.least) || 1;
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
      if (series.on) inside.append(...(this.stems ? stemPaths(this, series) : curvePaths(this, series)));
    }
    this.inside = inside;
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
}
