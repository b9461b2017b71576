// Checks: words first, then the curves behind them.

const WORDS = { pass: "Pass", caution: "Caution", unclear: "Too few to tell", fail: "Fail" };
const UNIT = label => ({ low: 0, high: 1, label });
const DIAGONAL = [[0, 0, 1, 1]];

function badge(status) {
  return html("span", { class: "badge " + status }, WORDS[status] || status);
}

function coverageChart(curve, title) {
  return chart({ title, x: UNIT("nominal credibility"), y: UNIT("empirical coverage"), lines: DIAGONAL,
    series: [{ x: curve.nominal, y: curve.empirical, band: [curve.low, curve.high] }],
    note: `${whole(curve.draws)} test draws; a curve below the diagonal means overconfident` });
}

// The same in sigmas, as the paper draws it: the tails become visible.
function sigmaChart(curve, title) {
  const levels = curve.levels.filter(l => l.z_empirical !== null);
  const bars = levels.map(l => ({ x: [l.z_nominal, l.z_nominal], y: [l.z_low ?? 0, l.z_high ?? 4], style: "stroke-width:1.2" }));
  return chart({ title: title + ", in σ", x: { low: 0, high: 4, label: "nominal z" }, y: { low: 0, high: 4, label: "empirical z" },
    lines: [[0, 0, 4, 4]], series: [...bars, { x: levels.map(l => l.z_nominal), y: levels.map(l => l.z_empirical), dots: 3.2 }],
    note: levels.map(l => `${number(100 * l.nominal, 4)} % nominal: ${number(100 * l.empirical, 4)} %`).join("; ") });
}

// Distance from the uniform distribution, with simultaneous bands.
function ecdfChart(curve, title, label) {
  const minus = list => list.map((v, i) => v - curve.at[i]);
  const [low, high] = [minus(curve.low), minus(curve.high)], difference = minus(curve.ecdf);
  const limit = 1.15 * Math.max(...high, ...low.map(Math.abs), ...difference.map(Math.abs));
  return chart({ title, x: UNIT(label), y: { low: -limit, high: limit, label: "ECDF − uniform" },
    lines: [[0, 0, 1, 0]], series: [{ x: curve.at, y: difference, band: [low, high] }],
    note: `${whole(curve.draws)} test draws; the curve of a right posterior stays in the band` });
}

function localChart(one, title) {
  return chart({ title, x: UNIT("posterior CDF of the true value"), y: { low: 0, high: Math.max(2, 1.1 * Math.max(...one.density)), label: "local density" },
    lines: [[0, 1, 1, 1]], series: [{ x: one.at, y: one.density }],
    note: `accuracy ${number(one.accuracy, 3)}; ${whole(one.effective_draws)} draws near the observation` });
}

// Few charts are shown at once; on a phone, where each is a screen of its own, none.
function group(title, charts) {
  if (!charts.length) return null;
  const few = charts.length <= 6 && innerWidth > 600;
  return html("details", { open: few ? "" : null }, [html("summary", {}, `${title} (${charts.length})`),
    html("div", { class: "charts" }, charts)]);
}

const checkTable = list => table(["check", "result", "what was found"], list.map(c => [c.name.replace(/_/g, " "), badge(c.status),
  html("td", { class: "text" }, [c.reason, c.advice ? html("div", { class: "quiet" }, c.advice) : null])]));

// Of the posterior that draws all parameters together: no part of the verdict.
function jointCheck(state) {
  if (!state.joint_check) return [];
  return [html("p", {}, "Draws of all parameters together come from a posterior of their own, with a verdict of its own:"), checkTable([state.joint_check])];
}

function checksSection(state) {
  const checks = state.checks;
  if (!checks) {
    return section("checks", "Checks", state.state === "finished" ? html("p", {}, [
      "This run has not been checked. Test it with ", html("code", {}, `hone check ${state.name_of_directory}`),
      ", then make this report again with ", html("code", {}, `hone report ${state.name_of_directory}`), "."]) : html("p", { class: "quiet" }, "The checks are made at the end of the run."));
  }
  const names = Object.fromEntries(state.parameters.map(p => [p.name, labelText(p.label)]));
  const name = marginal => marginal.split(",").map(part => names[part] ?? part).join(", ");
  const each = (list, draw, ...more) => (list ?? []).filter(one => (one.at ?? one.nominal ?? []).length).map(one => draw(one, name(one.marginal), ...more));
  const means = checks.mean_coverage?.length ? checks.mean_coverage : [];
  return section("checks", "Checks", [
    checkTable(checks.checks),
    html("p", { class: "quiet" }, `${whole(checks.draws)} test draws (${checks.draws_from === "fresh" ? "new simulations" : "held-out simulations"}).`),
    ...jointCheck(state),
    group("Mean coverage", means.flatMap(c => [coverageChart(c, name(c.marginal)), sigmaChart(c, name(c.marginal))])),
    group("Coverage", each(checks.coverage, coverageChart)),
    group("Coverage in σ", each(checks.coverage, sigmaChart)),
    group("Simulation-based calibration", each(checks.sbc, ecdfChart, "posterior CDF of the true value")),
    group("TARP", each(checks.tarp, ecdfChart, "credibility")),
    group("Local C2ST at the observation", each(checks.local_c2st, localChart))]);
}
