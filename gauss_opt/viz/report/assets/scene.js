/* The scene: shapes that move with the time. */

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
