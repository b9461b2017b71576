// The corner plot. Positions in `corner` are fractions of the panels, as the program made them.

const unpacked = new Map();
function bytesOf(text) {
  if (!unpacked.has(text)) unpacked.set(text, Uint8Array.from(atob(text), c => c.charCodeAt(0)));
  return unpacked.get(text);
}

// Credible level of a point: the probability inside the smallest region that holds it.
function levelAt(pair, fx, fy) {
  const size = pair.cells, at = f => Math.min(size - 1, Math.max(0, Math.floor(f * size)));
  return bytesOf(pair.levels)[at(fx) * size + at(fy)] / 255;
}

function interpolate(list, f) {
  const at = Math.min(1, Math.max(0, f)) * (list.length - 1), i = Math.min(list.length - 2, Math.floor(at));
  return list[i] + (list[i + 1] - list[i]) * (at - i);
}

// One panel in a square of side `size` at (0, 0): drawing, and what the point (fx, fy) means.
class Panel {
  constructor(state, x, y, size) {
    Object.assign(this, { state, x, y, size });
    this.pair = state.corner.pairs.find(p => p.x === x && p.y === y);
    this.one = x === y ? state.corner.ones.find(o => o.parameter === x) : undefined;
  }
  range(d) { return this.state.corner.ranges[d]; }
  value(d, f) { const [low, high] = this.range(d); return low + f * (high - low); }
  fraction(d, value) { const [low, high] = this.range(d); return (value - low) / (high - low); }
  name(d) { return labelText(this.state.parameters[d].label); }
  title() { return this.x === this.y ? this.name(this.x) : `${this.name(this.x)} and ${this.name(this.y)}`; }

  describe(fx, fy) {
    const x = `${this.name(this.x)} = ${number(this.value(this.x, fx))}`;
    if (this.one) {
      return `${x}: density ${number(interpolate(this.one.density, fx), 2)} of the peak, ` +
        `${percent(interpolate(this.one.below, fx))} below`;
    }
    if (!this.pair) return "not trained";
    return `${x}, ${this.name(this.y)} = ${number(this.value(this.y, fy))}: ` +
      `on the edge of the ${percent(levelAt(this.pair, fx, fy))} region`;
  }

  path(loops) {
    const s = this.size / 1000;
    return loops.map(loop => {
      let text = "";
      for (let i = 0; i < loop.length; i += 2) {
        text += (i ? "L" : "M") + (loop[i] * s).toFixed(2) + " " + (this.size - loop[i + 1] * s).toFixed(2);
      }
      return text + "Z";
    }).join("");
  }

  draw() {
    const parts = [];
    if (this.pair) {
      [2, 1, 0].forEach(level => parts.push(svg("path", {
        class: "level" + level, d: this.path(this.pair.loops[level]), "fill-rule": "evenodd" })));
      parts.push(svg("path", { class: "outline", d: this.path(this.pair.loops.flat()) }));
    }
    if (this.one) parts.push(...this.drawDensity());
    parts.push(...this.marks());
    parts.push(svg("rect", { class: "frame", width: this.size, height: this.size }));
    return parts;
  }

  drawDensity() {
    const { density, bands } = this.one, s = this.size, n = density.length;
    const at = (f, d) => `${(f * s).toFixed(2)} ${(s - d * s / 1.12).toFixed(2)}`;
    const curve = density.map((d, i) => at(i / (n - 1), d)).join("L");
    const parts = [];
    [2, 1, 0].forEach(level => bands[level].forEach(([from, to]) => {
      const a = Math.max(0, from), b = Math.min(1, to);
      const inner = density.map((d, i) => [i / (n - 1), d]).filter(([f]) => f > a && f < b);
      const top = [[a, interpolate(density, a)], ...inner, [b, interpolate(density, b)]];
      parts.push(svg("path", { class: "level" + level,
        d: `M${at(a, 0)}L` + top.map(([f, d]) => at(f, d)).join("L") + `L${at(b, 0)}Z` }));
    }));
    parts.push(svg("path", { class: "curve", d: "M" + curve }));
    return parts;
  }

  marks() {
    const s = this.size, parts = [];
    const line = (d, value, kind, upright) => {
      const f = value === null || value === undefined ? -1 : this.fraction(d, value);
      if (f < 0 || f > 1) return;
      parts.push(svg("line", upright ? { class: kind, x1: f * s, x2: f * s, y1: 0, y2: s }
        : { class: kind, x1: 0, x2: s, y1: s - f * s, y2: s - f * s }));
    };
    for (const [d, upright] of this.x === this.y ? [[this.x, true]] : [[this.x, true], [this.y, false]]) {
      const p = this.state.parameters[d];
      line(d, p.low, "mark", upright);
      line(d, p.high, "mark", upright);
      line(d, p.truth, "truth", upright);
    }
    return parts;
  }

  // Where the pointer is, as fractions of the panel.
  locate(event, element) {
    const box = element.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, 1 - (event.clientY - box.top) / box.height];
  }
}

// Two to `most` round values that are not too close to the ends, where neighbours would collide.
function innerTicks([low, high], most) {
  const inside = v => v > low + 0.05 * (high - low) && v < high - 0.05 * (high - low);
  for (let wanted = 9; wanted >= 2; --wanted) {
    let list = ticks(low, high, wanted).filter(inside), step = list[1] - list[0];
    while (list.length > most) {
      list = list.filter(v => Math.round(v / step) % 2 === 0);
      step *= 2;
    }
    const apart = most > 3 || list.every(v => number(v, 6).length <= 5);
    if (list.length >= 2 && (apart || list.length === 2)) return list;
  }
  return ticks(low, high, 4).filter(inside);
}

function axisTicks(panel, d, upright, most, fontSize) {
  const s = panel.size;
  return innerTicks(panel.range(d), most).map(tick => {
    const f = panel.fraction(d, tick), style = `font-size:${fontSize}px`;
    return svg("text", upright
      ? { class: "tick", style, x: -5, y: s - f * s, dy: ".35em", "text-anchor": "end" }
      : { class: "tick", style, x: f * s, y: s + fontSize + 4, "text-anchor": "middle" }, number(tick, 6));
  });
}

function axisTitle(panel, d, upright, size, offset) {
  const s = panel.size, pieces = labelSvg(panel.state.parameters[d].label, size);
  return svg("text", { "text-anchor": "middle", transform: upright
    ? `translate(${-offset},${s / 2}) rotate(-90)` : `translate(${s / 2},${s + offset})` }, pieces);
}

// The whole plot of the chosen parameters.
function drawCorner(state, chosen) {
  const n = chosen.length, size = Math.max(56, Math.min(220, 900 / n)), gap = Math.max(4, size * 0.05);
  // A narrow window shrinks the plot: letters grow against it.
  const wide = n * size + (n - 1) * gap + 70, shrunk = Math.min(1, (innerWidth - 32) / wide);
  const font = 10 / Math.max(0.5, shrunk), left = 36 + 2.6 * font, foot = 20 + 2.8 * font, side = wide - 70;
  const root = svg("svg", { viewBox: `0 0 ${left + side + 8} ${8 + side + foot}`, width: left + side + 8,
    role: "group", "aria-label": "Corner plot of the posterior" });
  chosen.forEach((y, row) => chosen.slice(0, row + 1).forEach((x, column) => {
    const panel = new Panel(state, x, y, size);
    const hit = svg("rect", { class: "hit", width: size, height: size });
    const group = svg("g", { class: "panel", tabindex: 0, role: "button",
      "aria-label": `Enlarge ${panel.title()}`, "data-x": x, "data-y": y,
      transform: `translate(${left + column * (size + gap)},${8 + row * (size + gap)})`,
      onclick: () => enlarge(state, x, y),
      onkeydown: e => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); enlarge(state, x, y); } },
      onpointermove: e => showTip(e, panel.describe(...panel.locate(e, hit))),
      onpointerleave: hideTip }, panel.draw());
    group.append(hit);
    root.append(group);
    const edge = svg("g", { transform: group.getAttribute("transform") });
    const most = size * shrunk > 150 ? 5 : size * shrunk > 100 ? 3 : 2;
    if (row === n - 1) edge.append(...axisTicks(panel, x, false, most, font), axisTitle(panel, x, false, 1.3 * font, 3 * font + 6));
    if (column === 0 && row > 0) edge.append(...axisTicks(panel, y, true, most, font), axisTitle(panel, y, true, 1.3 * font, 2.6 * font + 20));
    root.append(edge);
  }));
  return root;
}

// A dialog with one large panel; the pointer or the arrow keys read values from it.
function enlarge(state, x, y) {
  hideTip();
  const dialog = document.getElementById("enlarged"), size = 480, panel = new Panel(state, x, y, size);
  const hit = svg("rect", { width: size, height: size, fill: "transparent" });
  const across = svg("line", { class: "cursor", x1: 0, x2: size }), up = svg("line", { class: "cursor", y1: 0, y2: size });
  const readout = html("p", { class: "quiet", role: "status", id: "readout" });
  const cursor = [0.5, 0.5];
  const move = (fx, fy) => {
    cursor[0] = Math.min(1, Math.max(0, fx));
    cursor[1] = Math.min(1, Math.max(0, fy));
    fill(up, { x1: cursor[0] * size, x2: cursor[0] * size });
    fill(across, { y1: size - cursor[1] * size, y2: size - cursor[1] * size });
    readout.textContent = panel.describe(...cursor);
  };
  const plot = svg("g", { transform: "translate(76,10)" }, [...panel.draw(),
    ...axisTicks(panel, x, false, 7, 13), axisTitle(panel, x, false, 17, 46), up]);
  if (x !== y) plot.append(...axisTicks(panel, y, true, 7, 13), axisTitle(panel, y, true, 17, 58), across);
  plot.append(hit);
  hit.addEventListener("pointermove", e => move(...panel.locate(e, hit)));
  const keys = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  const picture = svg("svg", { viewBox: `0 0 ${size + 90} ${size + 66}`, tabindex: 0, role: "img",
    "aria-label": `Posterior of ${panel.title()}; arrow keys read values`,
    onkeydown: e => {
      if (!keys[e.key]) return;
      e.preventDefault();
      const step = e.shiftKey ? 0.05 : 0.01;
      move(cursor[0] + step * keys[e.key][0], cursor[1] + step * keys[e.key][1]);
    } }, plot);
  dialog.replaceChildren(html("div", { class: "bar" }, [
    html("h2", { style: "margin:0" }, panel.title()),
    html("button", { type: "button", onclick: () => dialog.close() }, "Close")]), picture, readout);
  move(0.5, 0.5);
  if (!dialog.open) dialog.showModal();
  picture.focus();
}
document.getElementById("enlarged").addEventListener("click", e => {
  if (e.target === e.currentTarget) e.currentTarget.close();
});
