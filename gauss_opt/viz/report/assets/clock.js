/* Time, which player and charts share, and the events on it. */

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
  stick: "M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3Z",
  slip: "M-4-4.5v9L4.5 0Z",
  reversal: "M4-4.5v9L-4.5 0Z",
  jam: "M-4.5-3L-3-4.5L0-1.5L3-4.5L4.5-3L1.5 0L4.5 3L3 4.5L0 1.5L-3 4.5L-4.5 3L-1.5 0Z",
  limit: "M-4-4h8v8h-8Z",
  user: "M0-5L1.4-1.5L5-1.5L2.1.8L3.1 4.4L0 2.3L-3.1 4.4L-2.1.8L-5-1.5L-1.4-1.5Z",
};
const kindClass = (kind) => (Object.hasOwn(GLYPHS, kind) ? kind : "user");
const glyph = (kind) => draw("svg", { class: "glyph", viewBox: "-6 -6 12 12", "aria-hidden": "true" },
  draw("path", { d: GLYPHS[kindClass(kind)], class: kindClass(kind) }));

const TIME_PLACES = Math.min(12, Math.max(3, 4 - Math.floor(Math.log10(SPAN))));
const timeText = (t) => `t = ${SPAN < 1e-6 ? show(t, 9) : t.toFixed(TIME_PLACES)} s`;

/** A time with as many places as tell it from one `spacing` away, and six more. */
function preciseTime(t, spacing) {
  const most = 15 - Math.max(0, Math.floor(Math.log10(Math.max(Math.abs(t), 1))));
  const places = Math.ceil(6 - Math.log10(spacing));
  return places > most ? `t = ${t} s` : `t = ${t.toFixed(Math.max(places, TIME_PLACES))} s`;
}

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
