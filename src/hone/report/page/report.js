// The page: sections from the state of a run, once, or again and again while it goes on.

function verdictOf(state) {
  if (state.state !== "finished") {
    const word = state.state === "running" ? "Running" : "Not finished";
    return ["", word, state.state === "running" ? "The run has no posterior yet." : `Continue it with: hone resume ${state.name_of_directory}`];
  }
  if (state.checks) return [state.checks.verdict, WORDS[state.checks.verdict], state.checks.summary];
  if (state.warnings.length) {
    const count = state.warnings.length === 1 ? "There is one warning" : `There are ${state.warnings.length} warnings`;
    return ["caution", "Not checked, with warnings", `${count} below. Test the calibration with: hone check ${state.name_of_directory}`];
  }
  return ["", "Not checked", `There are no warnings. Test the calibration with: hone check ${state.name_of_directory}`];
}

// Parameters that are simulated with; derived quantities come after them.
const simulated = state => state.parameters.filter(p => !p.derived);

function headSection(state) {
  const [tone, word, text] = verdictOf(state);
  const fact = (name, value) => html("div", {}, [html("dt", {}, name), html("dd", {}, value)]);
  const p = state.progress;
  return [html("h1", {}, state.name), html("p", { class: "quiet" }, state.subtitle),
    html("div", { class: "verdict " + tone, id: "verdict", style: "margin-top:1.2rem" }, [html("strong", {}, word), text]),
    p ? html("p", { id: "progress" }, [html("progress", { max: Math.max(1, p.total), value: p.done, "aria-label": p.stage }), " ",
      `${p.context}: ${p.stage} ${whole(p.done)} of ${whole(p.total)}`]) : null,
    html("dl", { class: "facts" }, [fact("parameters", whole(simulated(state).length)),
      fact("simulations", `${whole(state.simulations.total)} of ${whole(state.simulations.budget)}`),
      fact("failed", whole(state.simulations.failed)), fact("rounds", whole(state.rounds.length)),
      fact("prior mass left", number((state.region ?? state.rounds.at(-1))?.prior_mass ?? 1, 3))])];
}

function warningsSection(state) {
  if (!state.warnings.length) return null;
  return section("warnings", "Warnings", html("ul", { class: "notes" }, state.warnings.map(w =>
    html("li", {}, [html("div", {}, w.message), html("div", { class: "quiet" }, "What to do: " + w.advice)]))));
}

// Which parameters are shown; kept while a live page redraws itself.
let chosen = null, redrawCorner = () => {};
addEventListener("resize", () => redrawCorner());
function cornerSection(state) {
  if (!state.corner) return null;
  const known = state.corner.shown;
  chosen = (chosen ?? known.slice(0, 8)).filter(d => known.includes(d));
  const plot = html("div", { id: "corner-plot" });
  const redraw = redrawCorner = () => plot.replaceChildren(drawCorner(state, chosen));
  const box = d => html("label", {}, [html("input", { type: "checkbox", value: d, checked: chosen.includes(d) ? "" : null,
    onchange: event => {
      const next = known.filter(k => k === d ? event.target.checked : chosen.includes(k));
      if (!next.length) { event.target.checked = true; return; }
      chosen = next;
      redraw();
    } }), " ", ...labelHtml(state.parameters[d].label)]);
  redraw();
  return section("posterior", "Posterior", [
    known.length > 1 ? html("fieldset", { class: "choice" }, [html("legend", {}, "Parameters shown"), ...known.map(box)]) : null,
    html("figure", {}, [plot, html("figcaption", {}, state.corner.caption)])]);
}

function parametersSection(state) {
  if (!state.summary.length) return null;
  const row = s => {
    const p = state.parameters.find(one => one.name === s.name);
    const digits = v => number(v, 5);
    return [html("td", {}, labelHtml(p.label)), digits(s.mean), number(s.standard_deviation, 2), digits(s.median),
      number(s.ensemble_error, 1), intervals(s.interval_68), intervals(s.interval_95)]
      .concat(state.has_truth ? [digits(p.truth)] : []);
  };
  // Of whole numbers and categories: a probability for each value.
  const values = state.summary.filter(s => s.probabilities).map(s => html("div", {}, [
    html("p", {}, ["Probabilities of ", ...labelHtml(state.parameters.find(one => one.name === s.name).label), ":"]),
    table(["value", "probability"], s.probabilities.filter(v => v.probability >= 5e-4).map(v => [v.name, number(v.probability, 3)]))]));
  return section("parameters", "Parameters", [
    table(["parameter", "mean", "st. dev.", "median", "ensemble error", "68 % interval", "95 % interval"]
      .concat(state.has_truth ? ["truth"] : []), state.summary.map(row)),
    ...values,
    html("p", { class: "quiet" }, "The intervals are those of highest density with 68.27 and 95.45 % of the posterior; a posterior with several modes has several of them. The ensemble error is the standard deviation of the means that the single networks give.")]);
}

function roundsSection(state) {
  const rows = state.rounds.map(r => [String(r.number), number(r.prior_mass), whole(r.kept), whole(r.simulated), whole(r.failed),
    number(r.mass_ratio, 3), number(r.lost_mass, 1)]);
  if (state.region) rows.push(["final", number(state.region.prior_mass), whole(state.region.kept), whole(state.region.simulated), whole(state.region.failed), "", ""]);
  const reasons = state.simulations.reasons;
  const mass = state.rounds.map(r => r.prior_mass).concat(state.region ? [state.region.prior_mass] : []);
  const numbers = mass.map((_, i) => i + 1);
  const charts = mass.length > 1 ? [chart({ title: "Prior mass of the region", x: { low: 0.6, high: mass.length + 0.4, label: "round", ticks: numbers },
    y: { low: Math.min(...mass) / 2, high: 2, label: "prior mass", log: true }, series: [{ x: numbers, y: mass }, { x: numbers, y: mass, dots: 3 }] })] : [];
  return section("rounds", "Rounds and simulations", [
    rows.length ? table(["round", "prior mass", "kept", "new", "failed", "a cut keeps", "estimated lost mass"], rows)
      : html("p", { class: "quiet" }, "No round has been finished yet."),
    reasons.length ? table(["failures", "reason"], reasons.map(r => [whole(r.count), html("td", { class: "text" }, r.reason)])) : null,
    html("div", { class: "charts" }, charts),
    state.rounds.length ? group("Region of each parameter through the rounds", simulated(state).map((_, d) => historyChart(state, d))) : null,
    state.rounds.some(r => r.curves) ? group("Ratio of each parameter through the rounds", simulated(state).map((_, d) => ratioChart(state, d))) : null]);
}

function observationSection(state) {
  const o = state.observation;
  if (!o || !o.simulated) return null;
  const own = list => inOwnUnits(list, o.scales), value = own(o.value), band = [own(o.simulated.low), own(o.simulated.high)];
  const [low, high] = extent(value.concat(...band));
  const few = o.column.length <= 60;
  return section("observation", "Observation and simulations", [chart({ title: "", width: 900, height: 300,
    x: { low: Math.min(...o.column) - 0.5, high: Math.max(...o.column) + 0.5, label: o.blocks || "number of the data value, from 0" }, y: { low, high, label: o.scales ? "of each column's band" : "value" },
    series: [{ x: o.column, y: own(o.simulated.median), band, style: GREY },
      few ? { x: o.column, y: value, dots: 3.2 } : { x: o.column, y: value }], note: o.note + (o.scales ? OWN_UNITS : "") })]);
}

// Simulations from the posterior beside the observation.
function predictiveSection(state) {
  const p = state.predictive;
  if (!p) return null;
  const c = Object.fromEntries(Object.entries(p.columns).map(([name, list]) => [name, name === "p" ? list : inOwnUnits(list, p.scales)]));
  const columns = c.observed.map((_, i) => i), few = columns.length <= 60;
  const [low, high] = extent(c.observed.concat(c.low_95, c.high_95));
  return section("predictive", "Predictions", [
    html("p", {}, `${p.status}: ${p.reason}.`),
    p.joint_check && p.joint_check.status !== "pass" ? html("p", { id: "joint-caution" }, [badge(p.joint_check.status), ` The parameters come from ${p.source}, of which its check says: ${p.joint_check.reason}.`]) : null,
    chart({ title: "", width: 900, height: 300, x: { low: -0.5, high: columns.length - 0.5, label: "number of the data value, from 0" }, y: { low, high, label: p.scales ? "of each column's band" : "value" },
      series: [{ x: columns, y: c.median, band: [c.low_95, c.high_95], style: GREY }, { x: columns, y: c.median, band: [c.low_68, c.high_68], style: GREY },
        few ? { x: columns, y: c.observed, dots: 3.2 } : { x: columns, y: c.observed }],
      note: `Blue: the observation. Grey line and bands: median, 68 and 95 % of ${whole(p.simulations)} simulations with parameters from ${p.source}, noise included.${p.scales ? OWN_UNITS : ""}` }),
    table(["statistic", "observation", "simulations, 95 %", "p"], p.statistics.map(s => [s.block ? `${s.name} of ${s.block}` : s.name,
      number(s.observed, 4), `${number(s.low, 4)} to ${number(s.high, 4)}`, number(s.p, 2)])),
    html("p", { class: "quiet" }, "p is how often a simulation is as extreme as the observation. distance (mean square of deviations in standard deviations) and largest deviation decide: only large values count. Of the others about one in a hundred has p below 0.01 by chance.")]);
}

function trainingSection(state) {
  if (!state.training.length) return null;
  return section("training", "Training", [html("p", { class: "quiet" },
    "Blue line and band: the median of the networks' validation losses, and the range of the middle 80 % of them. Grey: training losses. A network that has stopped early is shown with its best loss from then on."),
    html("div", { class: "charts" }, state.training.map(trainingChart))]);
}

function settingsSection(state) {
  const settings = Object.entries(state.settings).map(([k, v]) => [k, html("td", {}, typeof v === "string" ? v : JSON.stringify(v))]);
  return section("settings", "Settings to repeat this run", [
    html("p", {}, "The same version, settings and seed give the same result, bit for bit, on the same kind of machine:"),
    html("pre", { id: "reproduce" }, state.reproduce),
    html("details", {}, [html("summary", {}, "Priors"), table(["quantity", "prior"], state.parameters.map(p => [p.name, html("td", { class: "text" }, p.prior)]))]),
    html("details", {}, [html("summary", {}, "All options"), table(["option", "value"], settings)]),
    html("details", {}, [html("summary", {}, "run.json: the complete description of the problem"), html("pre", {}, state.run_json)])]);
}

function dataSection(state) {
  const files = [];
  if (state.summary.length) {
    files.push(download("summary.csv", csv(["parameter", "mean", "standard_deviation", "median", "ensemble_error", "interval_68", "interval_95"],
      state.summary.map(s => [s.name, s.mean, s.standard_deviation, s.median, s.ensemble_error, s.interval_68.map(i => i.join(" ")).join("; "), s.interval_95.map(i => i.join(" ")).join("; ")]))));
  }
  if (state.corner) {
    files.push(download("marginals.csv", csv(["parameter", "value", "density", "cdf"], state.corner.ones.flatMap(o => {
      const [low, high] = state.corner.ranges[o.parameter], n = o.density.length;
      return o.density.map((d, i) => [state.parameters[o.parameter].name, low + (high - low) * i / (n - 1), d * o.peak, o.below[i]]);
    }))));
  }
  if (state.rounds.length) {
    files.push(download("rounds.csv", csv(["round", "prior_mass", "kept", "simulated", "failed", "mass_ratio", "lost_mass"],
      state.rounds.map(r => [r.number, r.prior_mass, r.kept, r.simulated, r.failed, r.mass_ratio, r.lost_mass]))));
  }
  if (state.observation) files.push(download("observation.csv", csv(["column", "value"], state.observation.column.map((c, i) => [state.observation.name ? state.observation.name[i] : c, state.observation.value[i]]))));
  if (!files.length) return null;
  return section("data", "Data", [html("div", { class: "downloads" }, files),
    html("p", { class: "quiet" }, `Draw samples with: hone sample ${state.name_of_directory} --marginal ${state.parameters[0].name} -o samples.csv. Everything else is in the directory of the run.`)]);
}

function render(state) {
  const title = details => details.querySelector("summary").textContent;
  const before = new Map([...document.querySelectorAll("details")].map(d => [title(d), d.open]));
  const sections = [warningsSection, cornerSection, parametersSection, roundsSection, checksSection, observationSection, predictiveSection,
    trainingSection, settingsSection, dataSection].map(make => make(state)).filter(Boolean);
  document.getElementById("top").replaceChildren(...headSection(state).filter(Boolean));
  document.getElementById("contents").replaceChildren(...sections.map(s =>
    html("a", { href: "#" + s.id }, s.querySelector("h2").textContent)));
  document.getElementById("report").replaceChildren(...sections);
  for (const d of document.querySelectorAll("details")) d.open = before.get(title(d)) ?? d.open;
  document.documentElement.dataset.revision = state.revision;
}

// The live view asks again until the run is finished; what has not changed is not drawn again.
async function watch(revision) {
  for (;;) {
    await new Promise(done => setTimeout(done, 1000));
    try {
      const answer = await fetch("state.json?revision=" + revision);
      if (answer.status === 204) continue;
      const state = await answer.json();
      revision = state.revision;
      render(state);
    } catch (error) {
      document.getElementById("verdict")?.setAttribute("title", "hone watch does not answer any more");
    }
  }
}

const first = JSON.parse(document.getElementById("state").textContent);
render(first);
if (first.live) watch(first.revision);
