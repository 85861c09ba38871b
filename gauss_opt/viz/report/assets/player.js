/* Play, slider, speed and the strip of events. */

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
