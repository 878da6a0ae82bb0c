"use strict";
// The replay viewer. Every text comes from an environment or a model and is set as text, never as markup.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const data = JSON.parse(document.getElementById("replay-data").textContent);
  const at = (id) => document.getElementById(id);
  const [section, play, word, scrub, clock, speed, pick, said, stage] =
    ["replay", "play", "play-word", "scrub", "clock", "speed", "task", "said", "flights"].map(at);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const SECONDS = { a_turn: 0.5, least: 8, most: 30 };
  const SIGNS = { satisfied: "✓", violated: "✗", open: "○" };
  const CLOSE = 1e-6;
  let task, end, stops, views, veils, now = 0, playing = false, before = 0, waited = 0;

  function make(tag, name, text) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    if (text !== undefined) made.textContent = text;
    return made;
  }
  function draw(tag, fields) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(fields)) made.setAttribute(name, value);
    return made;
  }
  const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };
  const isNumber = (value) => typeof value === "number";
  function say(value, unit) {
    if (!isNumber(value)) return "–";
    const size = Math.abs(value);
    const text = value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3).replace("-", "−");
    return unit ? `${text} ${unit}` : text;
  }
  const percent = (time) => (end > 0 ? (100 * time) / end : 0);
  const timeText = (time) => (task.unit === "Turn" ? `turn ${Math.floor(time + CLOSE)}` : `T+${Math.round(time)} s`);
  const turnAt = (flight, time) => Math.max(0, flight.clock.filter((t) => t <= time + CLOSE).length - 1);

  // A value on the straight line between two samples, or the last one where turns are all the time there is.
  function value(panel, entry, time) {
    const { t, v } = panel, column = v[entry];
    let n = -1;
    while (n + 1 < t.length && t[n + 1] <= time + CLOSE) n += 1;
    if (n < 0) return null;
    const here = column[n], next = column[n + 1];
    if (panel.step || task.unit === "Turn" || !isNumber(here) || !isNumber(next) || t[n + 1] === t[n]) return here;
    return here + ((next - here) * (time - t[n])) / (t[n + 1] - t[n]);
  }

  function range(panels, limits) {
    const all = [...panels.flatMap((panel) => panel.v.flat()), ...limits].filter(isNumber);
    if (panels.some((panel) => panel.step)) all.push(0);
    let low = Math.min(...all), high = Math.max(...all);
    if (!all.length) [low, high] = [0, 1];
    if (high - low < 1e-9) [low, high] = [low - 0.5, high + 0.5];
    const pad = 0.08 * (high - low);
    return [low - pad, high + pad, low, high];
  }

  function pathOf(panel, entry, low, high) {
    const y = (v) => (100 * (high - v)) / (high - low);
    let text = "", joined = false;
    panel.t.forEach((time, n) => {
      const v = panel.v[entry][n];
      if (!isNumber(v)) { joined = false; return; }
      const x = percent(time);
      if (panel.step) text += `M${x} ${y(0)}L${x} ${y(v)}`;
      else text += `${joined ? "L" : "M"}${x} ${y(v)}${joined ? "" : "h0"}`;
      joined = true;
    });
    return text;
  }

  // Lies over what has not happened yet, and its edge is the present: to move it costs no layout.
  function veil() {
    const box = make("i", "veilbox"), sheet = make("i", "veil");
    box.append(sheet);
    veils.push(sheet);
    return box;
  }

  function panelView(flight, number) {
    const panel = flight.panels[number];
    const pair = task.flights.map((other) => other.panels.find((p) => p.label === panel.label)).filter(Boolean);
    const signs = panel.names.length ? [1, -1] : [1];
    const lines = flight.orders.flatMap((order) => (panel.unit in order.limits
      ? signs.map((sign) => ({ order, value: sign * order.limits[panel.unit] })) : []));
    const [low, high, least, most] = range(pair, lines.map((line) => line.value));
    const figure = make("figure"), caption = make("figcaption", "", ""), keys = make("span", "keys3");
    caption.append(make("span", "", panel.label), keys);
    const shown = panel.v.map((_, entry) => {
      const key = make("span", panel.names.length ? `c${entry % 3}` : "c", panel.names[entry] || "");
      const reading = make("b", "val");
      key.append(reading);
      keys.append(key);
      return reading;
    });
    const plot = make("div", "plot");
    plot.setAttribute("role", "img");
    plot.setAttribute("aria-label", `${panel.label}, from ${say(least)} to ${say(most)}`);
    const svg = draw("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" });
    panel.v.forEach((_, entry) => svg.append(draw("path", { class: `k${entry % 3}`, d: pathOf(panel, entry, low, high) })));
    for (const { order, value: limit } of lines) {
      const y = (100 * (high - limit)) / (high - low);
      svg.append(draw("path", { class: "limit", d: `M${percent(order.start)} ${y}H${Math.min(percent(order.end), 100)}` }));
    }
    plot.append(svg, veil(), make("span", "tick top", say(most)), make("span", "tick bottom", say(least)));
    figure.append(caption, plot);
    const update = (time) => shown.forEach((node, entry) => put(node, say(value(panel, entry, time))));
    return { node: figure, update };
  }

  // Two entries of a vector as a point in a disc, on a logarithmic scale, with its way so far.
  function dialView(flight) {
    const turning = (panel) => panel.names.includes("pitch") && panel.names.includes("yaw");
    const known = (panel) => panel.v.flat().some(isNumber);
    const labels = task.flights.flatMap((other) => other.panels.filter((p) => turning(p) && known(p)).map((p) => p.label));
    const panel = flight.panels.find((p) => p.label === labels[0]);
    if (!panel) return null;
    const pair = task.flights.map((other) => other.panels.find((p) => p.label === panel.label)).filter(Boolean);
    const most = Math.max(...pair.flatMap((p) => p.v.flat()).filter(isNumber).map(Math.abs), 1e-6);
    const least = most / 300;
    const radius = (size) => (90 * Math.log(1 + size / least)) / Math.log(1 + most / least);
    const svg = draw("svg", { viewBox: "-100 -100 200 200", class: "dial", role: "img" });
    svg.setAttribute("aria-label", `${panel.label}: pitch up, yaw to the right`);
    for (let ring = 10 ** Math.floor(Math.log10(most)); ring > 3 * least; ring /= 10) {
      svg.append(draw("circle", { r: radius(ring), cx: 0, cy: 0 }));
      const label = draw("text", { x: 3, y: -radius(ring) - 2 });
      label.textContent = `${Number(ring.toPrecision(1))} ${panel.unit || ""}`;
      svg.append(label);
    }
    svg.append(draw("line", { x1: -95, y1: 0, x2: 95, y2: 0 }), draw("line", { x1: 0, y1: -95, x2: 0, y2: 95 }));
    const trail = draw("polyline", { points: "" }), here = draw("circle", { class: "here", r: 5, cx: 0, cy: 0 });
    svg.append(trail, here);
    const [up, right] = ["pitch", "yaw"].map((name) => panel.names.indexOf(name));
    const spot = (time) => {
      const [p, y] = [value(panel, up, time), value(panel, right, time)];
      if (!isNumber(p) || !isNumber(y)) return null;
      const size = Math.hypot(p, y), scale = size > 0 ? radius(size) / size : 0;
      return [y * scale, -p * scale];
    };
    const update = (time) => {
      const points = [...panel.t.filter((t) => t < time), time].map(spot).filter(Boolean);
      const last = spot(time);
      trail.setAttribute("points", points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "));
      here.style.display = last ? "" : "none";
      if (last) { here.setAttribute("cx", last[0].toFixed(1)); here.setAttribute("cy", last[1].toFixed(1)); }
    };
    return { node: svg, update, label: panel.label };
  }

  function gaugeView(panel) {
    const node = make("div", "gauge"), reading = make("b"), meter = make("div", "meter"), level = make("i");
    node.append(make("span", "", `${panel.label} `), reading, meter);
    meter.append(level);
    const update = (time) => {
      const v = value(panel, 0, time);
      put(reading, say(v));
      level.style.width = `${isNumber(v) ? Math.max(0, Math.min(100, v)) : 0}%`;
    };
    return { node, update };
  }

  function orderView(order) {
    const node = make("div", "order"), head = make("p"), status = make("span", "status"), track = make("div", "track");
    head.append(make("span", "", order.id), status);
    const span = make("i", "window");
    span.style.left = `${percent(order.start)}%`;
    span.style.width = `${Math.max(percent(Math.min(order.end, end)) - percent(order.start), 0.5)}%`;
    track.append(span);
    for (const [time, what] of order.told.filter((each) => each[1] !== "open")) {
      const mark = make("i", "told");
      mark.classList.add(what in SIGNS ? what : "other");
      mark.style.left = `${percent(time)}%`;
      track.append(mark);
    }
    track.append(veil());
    node.append(head);
    if (order.text) node.append(make("p", "words", order.text));
    node.append(track);
    const update = (time) => {
      const told = order.told.filter(([t]) => t <= time + CLOSE);
      const what = told.length ? told[told.length - 1][1] : "not given yet";
      put(status, `${SIGNS[what] || "·"} ${what}`);
      status.className = `status ${what in SIGNS ? what : ""}`;
    };
    return { node, update };
  }

  function turnView(flight) {
    const node = make("div", "turn"), title = make("h4"), saw = make("pre", "saw"), did = make("pre", "did");
    const refused = make("p", "refused"), paid = make("h4"), final = make("ul", "final");
    saw.tabIndex = 0;
    saw.setAttribute("aria-label", "What the agent saw");
    did.setAttribute("aria-label", "What the agent did");
    node.append(title, saw, make("h4", "", "Did"), did, refused, paid, final);
    let shown = -1;
    const update = (time) => {
      const number = turnAt(flight, time);
      if (number === shown) return;
      shown = number;
      const over = number >= flight.turns.length, turn = flight.turns[Math.min(number, flight.turns.length - 1)];
      put(title, over ? `Over after ${flight.turns.length} decisions; the last one:` : `Decision ${number + 1} of ${flight.turns.length}; saw:`);
      put(saw, turn ? turn.saw : "");
      put(did, turn ? turn.did : "");
      put(refused, turn && turn.refused ? `Refused: ${turn.refused}` : "");
      put(paid, turn && isNumber(turn.reward) ? `Reward ${say(turn.reward)}` : "No reward given");
      final.replaceChildren(...(over ? flight.final.map(([name, v]) => make("li", "", `${name} ${say(v)}`)) : []));
    };
    return { node, update };
  }

  function flightView(flight) {
    const node = make("article", "flight"), parts = [];
    const outcome = flight.lost ? "lost" : flight.success === null ? "" : flight.success ? "✓ success" : "✗ no success";
    const kind = flight.success === null ? "" : flight.success ? "satisfied" : "violated";
    node.append(make("h3", "", flight.decoding ? `${flight.policy} (${flight.decoding})` : flight.policy));
    const line = make("p", "outcome small", `Score ${say(flight.score)} `);
    line.append(make("span", `status ${kind}`, outcome));
    node.append(line);
    const dial = dialView(flight);
    const gauges = flight.panels.filter((panel) => panel.unit === "%").map(gaugeView);
    if (dial) {
      const box = make("div", "dialbox"), side = make("div");
      side.append(make("p", "gauge", `${dial.label}, pitch against yaw; the rings are powers of ten`), ...gauges.map((g) => g.node));
      box.append(dial.node, side);
      node.append(box);
      parts.push(dial, ...gauges);
    }
    parts.push(...flight.panels.map((_, number) => panelView(flight, number)), ...flight.orders.map(orderView), turnView(flight));
    node.append(...parts.filter((part) => !node.contains(part.node)).map((part) => part.node));
    return { node, update: (time) => parts.forEach((part) => part.update(time)) };
  }

  function show(time) {
    now = Math.min(Math.max(time, 0), end);
    const shift = `translateX(${percent(now).toFixed(3)}%)`;
    veils.forEach((sheet) => { sheet.style.transform = shift; });
    scrub.value = now;
    const text = `${timeText(now)} of ${Math.round(end)}`;
    put(clock, text);
    scrub.setAttribute("aria-valuetext", text);
    views.forEach((view) => view.update(now));
  }

  function open(number) {
    task = data.tasks[number];
    end = Math.max(...task.flights.map((flight) => flight.clock[flight.clock.length - 1]), 0);
    stops = [...new Set(task.flights.flatMap((flight) => flight.clock))].sort((a, b) => a - b);
    scrub.max = end;
    veils = [];
    views = task.flights.map(flightView);
    stage.replaceChildren(...views.map((view) => view.node));
    show(0);
  }

  function step(direction) {
    const next = direction > 0 ? stops.find((t) => t > now + CLOSE) : stops.findLast((t) => t < now - CLOSE);
    show(next === undefined ? (direction > 0 ? end : 0) : next);
  }

  function frame(time) {
    if (!playing) return;
    const passed = Math.min(time - before, 250) / 1000;
    before = time;
    const turns = Math.max(...task.flights.map((flight) => flight.turns.length));
    const whole = Math.min(Math.max(turns * SECONDS.a_turn, SECONDS.least), SECONDS.most) / Number(speed.value);
    if (still.matches) {  // from decision to decision, without motion between them
      waited += passed;
      if (waited >= whole / Math.max(stops.length, 1)) { waited = 0; step(1); }
    } else show(now + (passed * end) / whole);
    if (now >= end) run(false);
    else requestAnimationFrame(frame);
  }

  function run(on) {
    if (on === playing) return;
    playing = on;
    play.classList.toggle("playing", on);
    play.setAttribute("aria-label", on ? "Pause" : "Play");
    put(word, on ? "Pause" : "Play");
    put(said, on ? "Playing" : `Paused at ${timeText(now)}`);
    if (!on) return;
    if (now >= end) show(0);
    before = performance.now();
    waited = 0;
    requestAnimationFrame(frame);
  }

  const jump = (move) => { run(false); move(); put(said, clock.textContent); };
  const KEYS = {
    ArrowRight: () => jump(() => step(1)), ArrowLeft: () => jump(() => step(-1)),
    Home: () => jump(() => show(0)), End: () => jump(() => show(end)),
    " ": () => run(!playing),
  };
  document.addEventListener("keydown", (event) => {
    const from = event.target;
    const inside = section.contains(from) || from === document.body;
    if (!inside || event.altKey || event.ctrlKey || event.metaKey || !(event.key in KEYS)) return;
    if (from.tagName === "SELECT" || from.tagName === "PRE") return;
    if (from.tagName === "BUTTON" && event.key === " ") return;  // it clicks by itself
    if (from === document.body && (event.key === "Home" || event.key === "End" || !seen())) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  // With nothing focused, space scrolls a page; it plays only while the viewer is what is looked at.
  function seen() {
    const box = section.getBoundingClientRect();
    return box.top < innerHeight / 2 && box.bottom > innerHeight / 2;
  }
  play.addEventListener("click", () => run(!playing));
  scrub.addEventListener("input", () => { run(false); show(Number(scrub.value)); });
  pick.append(...data.tasks.map((each, number) => {
    const made = make("option", "", `${each.label}: ${each.why}`);
    made.value = number;
    return made;
  }));
  pick.addEventListener("change", () => { run(false); open(Number(pick.value)); });
  open(0);
  section.dataset.readyMs = performance.now().toFixed(0);
})();
