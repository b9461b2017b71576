// Small charts with two axes.

// x, y: { low, high, label, log, ticks: numbers, named: [[place, text], ...] }. series: { x, y, class, style, band: [low, high], steps, dots }.
function chart({ title, x, y, series, width = 320, height = 210, note, lines = [] }) {
  const left = 48, right = 10, top = 8, foot = 38, w = width - left - right, h = height - top - foot;
  const place = (axis, v) => axis.log ? (Math.log(v) - Math.log(axis.low)) / (Math.log(axis.high) - Math.log(axis.low))
    : (v - axis.low) / (axis.high - axis.low);
  const px = v => left + w * place(x, v), py = v => top + h * (1 - place(y, v));
  const clip = "clip" + (chart.count = (chart.count || 0) + 1);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", "aria-label": title || y.label });
  root.append(svg("clipPath", { id: clip }, svg("rect", { x: left, y: top, width: w, height: h })));
  const text = v => Math.abs(v) >= 1e5 || (v !== 0 && Math.abs(v) < 1e-3) ? v.toExponential(0).replace("e+", "e") : String(v);
  const marks = axis => axis.named ? axis.named.filter(([v]) => v >= axis.low && v <= axis.high)
    : (axis.ticks || (axis.log ? powers(axis) : ticks(axis.low, axis.high, axis === x ? 5 : 4))).map(v => [v, text(v)]);
  for (const [v, word] of marks(y)) {
    root.append(svg("line", { class: "gridline", x1: left, x2: left + w, y1: py(v), y2: py(v) }),
      svg("text", { class: "tick", x: left - 5, y: py(v), dy: ".35em", "text-anchor": "end" }, word));
  }
  for (const [v, word] of marks(x)) {
    root.append(svg("text", { class: "tick", x: px(v), y: top + h + 14, "text-anchor": "middle" }, word));
  }
  const body = svg("g", { "clip-path": `url(#${clip})` });
  for (const s of series) body.append(...drawSeries(s, px, py));
  for (const l of lines) body.append(svg("line", { class: "mark", x1: px(l[0]), y1: py(l[1]), x2: px(l[2]), y2: py(l[3]) }));
  root.append(body, svg("rect", { class: "frame", x: left, y: top, width: w, height: h }),
    svg("text", { class: "tick", x: left + w / 2, y: height - 6, "text-anchor": "middle" }, x.label),
    svg("text", { class: "tick", "text-anchor": "middle", transform: `translate(11,${top + h / 2}) rotate(-90)` }, y.label));
  const caption = [title ? html("h3", { style: "margin:0 0 .2rem" }, title) : null];
  return html("figure", {}, caption.concat(root, note ? html("figcaption", {}, note) : null));
}

function powers(axis) {
  const list = [];
  for (let k = Math.ceil(Math.log10(axis.low) - 1e-9); 10 ** k <= axis.high * (1 + 1e-9); ++k) list.push(10 ** k);
  return list.length > 1 ? list.filter((_, i) => i % Math.ceil(list.length / 5) === 0)
    : [axis.low, axis.high].map(v => Number(v.toPrecision(2)));
}

function drawSeries(s, px, py) {
  const parts = [], finite = i => Number.isFinite(s.y[i]) && s.y[i] !== null;
  if (s.band) {
    const up = s.x.map((v, i) => `${px(v)} ${py(s.band[1][i])}`);
    const down = s.x.map((v, i) => `${px(v)} ${py(s.band[0][i])}`).reverse();
    parts.push(svg("path", { d: "M" + up.concat(down).join("L") + "Z", style: "fill:var(--accent);opacity:.16;" + (s.bandStyle || "") }));
  }
  if (s.y && !s.dots) {
    let d = "";
    s.x.forEach((v, i) => { if (finite(i)) d += (d ? "L" : "M") + px(v).toFixed(2) + " " + py(s.y[i]).toFixed(2); });
    if (d) parts.push(svg("path", { d, class: s.class || "curve", style: s.style }));
  }
  if (s.y && s.dots) {
    s.x.forEach((v, i) => { if (finite(i)) parts.push(svg("circle", { cx: px(v), cy: py(s.y[i]), r: s.dots, style: s.style || "fill:var(--accent)" })); });
  }
  return parts;
}

const GREY = "stroke:var(--train);stroke-width:1.1";
const extent = list => {
  const good = list.filter(v => v !== null && Number.isFinite(v));
  const low = Math.min(...good), high = Math.max(...good), room = 0.05 * (high - low) || 0.5;
  return [low - room, high + room];
};

// Losses of one stage of training: medians over networks, and where most of them are.
function trainingChart(stage) {
  const epochs = stage.validation.median.map((_, i) => i + 1);
  const [low, high] = extent(stage.validation.low.concat(stage.validation.high, stage.training.median));
  return chart({ title: stage.title, x: { low: 0, high: epochs.length + 1, label: "epoch" }, y: { low, high, label: "loss" },
    series: [{ x: epochs, y: stage.training.median, style: GREY },
      { x: epochs, y: stage.validation.median, band: [stage.validation.low, stage.validation.high] }],
    note: `${whole(stage.networks)} networks: ${whole(stage.converged)} converged, ${whole(stage.unfinished)} ran out of epochs, ${whole(stage.diverged)} diverged` });
}

// The axis of a parameter on which all parts of the prior are equally wide (u = CDF), with ticks in its own units.
const unitAxis = (p, low = 0, high = 1) => ({ low, high, label: labelText(p.axis_label), named: p.axis_ticks });

// Columns of very different spread in units of their own, if the program gives such: [middle, half the band].
const inOwnUnits = (list, scales) => !scales ? list : list.map((v, i) => {
  const [middle, half] = scales[i];
  return v === null ? null : half > 0 ? (v - middle) / half : 3 * Math.sign(v - middle);
});
const OWN_UNITS = " Each column has its own scale: 0 is the median of its simulations, and 95 % of them lie in a band that is 2 wide.";

// The region of each round on one axis of the prior.
function historyChart(state, d) {
  const root = { x: unitAxis(state.parameters[d]),
    y: { low: state.rounds.length + 1.6, high: 0.4, label: "round", ticks: state.rounds.map(r => r.number) }, series: [] };
  const rows = state.rounds.map(r => [r.number, r.axes[d]]);
  if (state.region) rows.push([state.rounds.length + 1, state.region.axes[d]]);
  for (const [row, parts] of rows) {
    const last = state.region && row > state.rounds.length;
    for (const [low, high] of parts) {
      root.series.push({ x: [low, high], y: [row, row], style: `stroke-width:7;stroke:var(${last ? "--accent" : "--band2"})` });
    }
  }
  return chart({ ...root, height: Math.min(260, 70 + 20 * rows.length) });
}

// The round's own posteriors of one parameter, the last on top.
function ratioChart(state, d) {
  const rounds = state.rounds.filter(r => r.curves && r.curves[d]);
  const all = rounds.flatMap(r => r.curves[d].u);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  return chart({ x: unitAxis(state.parameters[d], low, high),
    y: { low: -14, high: 0.7, label: "log r − log max r" },
    series: rounds.map((r, i) => ({ x: r.curves[d].u, y: r.curves[d].log_ratio,
      style: `opacity:${0.25 + 0.75 * (i + 1) / rounds.length};stroke-width:${i + 1 === rounds.length ? 1.8 : 1}` })) });
}
