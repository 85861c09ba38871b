/* The paths of curves and stems in a plot, and their values at a time. */

const COLOURS = 7;
const DOTTED = 5; // pixels between the points of a thinned curve from which on they are shown
const seriesClass = (i) => `s${i % COLOURS} d${Math.floor(i / COLOURS) % 4}`;

/** The curve in view, broken at jumps, and the jumps as dotted lines. */
function curvePaths(plot, { t, y, i: number }) {
  const [a, b] = clock.view;
  const start = Math.max(lowerBound(t, a) - 1, 0);
  const end = Math.min(lowerBound(t, b, true) + 1, t.length);
  let curve = "";
  let jumps = "";
  let pen = "M";
  for (let i = start; i < end; i += 1) {
    if (y[i] === null) { pen = "M"; continue; }
    const place = `${plot.x(t[i]).toFixed(2)} ${plot.y(y[i]).toFixed(2)}`;
    if (i > start && t[i] === t[i - 1] && y[i - 1] !== null) {
      if (y[i] === y[i - 1]) continue;
      jumps += `M${plot.x(t[i]).toFixed(2)} ${plot.y(y[i - 1]).toFixed(2)}L${place}`;
      pen = "M";
    }
    curve += pen + place;
    pen = "L";
  }
  const paths = [draw("path", { class: `jump ${seriesClass(number)}`, d: jumps }),
    draw("path", { class: `curve ${seriesClass(number)}`, d: curve, "data-series": number })];
  if (!plot.spec.note || plot.x(t[end - 1]) - plot.x(t[start]) < DOTTED * (end - start)) return paths;
  return [...paths, draw("path", { class: `dots ${seriesClass(number)}`, d: dots(plot, t, y, start, end) })];
}

/** The computed points of a thinned curve, for one that sees the straight lines between them. */
function dots(plot, t, y, start, end) {
  let path = "";
  for (let i = start; i < end; i += 1) {
    if (y[i] !== null) path += `M${plot.x(t[i]).toFixed(2)} ${plot.y(y[i]).toFixed(2)}h0`;
  }
  return path;
}

/** Stems from zero with round heads. */
function stemPaths(plot, { t, y, i: number }) {
  const [a, b] = clock.view;
  const zero = plot.y(0).toFixed(2);
  let stems = "";
  let heads = "";
  for (let i = lowerBound(t, a); i < t.length && t[i] <= b; i += 1) {
    if (y[i] === null) continue;
    const x = plot.x(t[i]);
    const top = plot.y(y[i]);
    stems += `M${x.toFixed(2)} ${zero}V${top.toFixed(2)}`;
    heads += `M${(x - 2.5).toFixed(2)} ${top.toFixed(2)}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0`;
  }
  return [draw("path", { class: `stem ${seriesClass(number)}`, d: stems, "data-series": number }),
    draw("path", { class: `stem s${number % COLOURS}`, d: heads })];
}

/** Where a curve meets the rim of the view: for the scale only, values are never read from it. */
function chord({ t, y }, time) {
  const i = lowerBound(t, time);
  if (i === 0 || i === t.length) return [];
  const [a, b] = [y[i - 1], y[i]];
  if (a === null || b === null) return [];
  return [a + ((time - t[i - 1]) / (t[i] - t[i - 1])) * (b - a)];
}

/** The drawn time that is nearest. */
function nearest(t, time) {
  const i = lowerBound(t, time);
  if (i === t.length) return t[i - 1];
  return i > 0 && time - t[i - 1] < t[i] - time ? t[i - 1] : t[i];
}

/** How far the drawn times next to one are away from it. */
function spacingAt(t, time) {
  const before = lowerBound(t, time) - 1;
  const after = lowerBound(t, time, true);
  const distances = [before >= 0 ? time - t[before] : Infinity, after < t.length ? t[after] - time : Infinity];
  const nearer = Math.min(...distances);
  return Number.isFinite(nearer) ? nearer : SPAN;
}

/** The largest size of a curve at a drawn time and next to it. */
function sizeAt({ t, y }, time) {
  const near = y.slice(Math.max(lowerBound(t, time) - 1, 0), lowerBound(t, time, true) + 1);
  return Math.max(0, ...near.filter((value) => value !== null).map(Math.abs));
}

/** Values of a curve on both sides of a drawn time; they differ at a jump. */
function at({ t, y }, time) {
  return [y[lowerBound(t, time)], y[lowerBound(t, time, true) - 1]];
}

/** The value of a stem that stands at a time. */
function stemAt({ t, y }, time) {
  const i = lowerBound(t, time);
  const value = i < t.length && t[i] === time ? y[i] : null;
  return [value, value];
}
