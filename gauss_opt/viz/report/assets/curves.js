/* The paths of curves and stems in a plot, and their values at a time. */

const COLOURS = 7;
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
  return [draw("path", { class: `jump ${seriesClass(number)}`, d: jumps }),
    draw("path", { class: `curve ${seriesClass(number)}`, d: curve, "data-series": number })];
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
