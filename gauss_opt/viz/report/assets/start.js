/* Everything is shown, and follows the size of the window. */

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
