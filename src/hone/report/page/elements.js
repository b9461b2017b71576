"use strict";
// Elements, labels and numbers. Text from users only ever becomes a text node.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null) element.setAttribute(name, value);
  }
  for (const child of [].concat(children ?? [])) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}
const html = (name, attributes, children) =>
  fill(document.createElement(name), attributes, children);
const svg = (name, attributes, children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

// Pieces of a label, from the program: text, scale, rise, stacked.
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹", LOWERED = "₀₁₂₃₄₅₆₇₈₉";
function labelText(pieces) {
  const digits = (text, kind) => /^\d+$/.test(text) ? [...text].map(d => kind[d]).join("") : text;
  return pieces.map(p => p.rise > 0 ? digits(p.text, RAISED) : p.rise < 0 ? digits(p.text, LOWERED) : p.text).join("");
}
function labelHtml(pieces) {
  return pieces.map(p => p.rise > 0 ? html("sup", {}, p.text)
    : p.rise < 0 ? html("sub", {}, p.text) : document.createTextNode(p.text));
}
// As tspans: dy moves the baseline, and must be taken back by the next piece. Of two stacked
// pieces the second goes back over the width of the first, which is about 0.6 em a character.
function labelSvg(pieces, size) {
  let rise = 0;
  return pieces.map((piece, i) => {
    const attributes = { "font-size": size * piece.scale, dy: (rise - piece.rise) * size };
    if (piece.stacked) attributes.dx = -0.6 * size * piece.scale * pieces[i - 1].text.length;
    rise = piece.rise;
    return svg("tspan", attributes, piece.text);
  });
}

function number(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e6 || size < 1e-4 ? value.toExponential(digits - 1)
    : String(Number(value.toPrecision(digits)));
  return text.replace("e+", "e").replace(/-/g, "−");
}
const whole = value => Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
const percent = value => value > 0.9995 ? "> 99.9 %" : number(100 * value, 3) + " %";
const intervals = list =>
  list.map(([low, high]) => `${number(low ?? -Infinity)} .. ${number(high ?? Infinity)}`).join(", ");

// A column of words is aligned to the left, header and all.
function table(head, rows) {
  const kind = j => rows[0]?.[j] instanceof Node && rows[0][j].className === "text" ? "text" : null;
  return html("div", { class: "scroll", tabindex: 0, role: "group" }, html("table", {}, [
    html("thead", {}, html("tr", {}, head.map((text, j) => html("th", { scope: "col", class: kind(j) }, text)))),
    html("tbody", {}, rows.map(row => html("tr", {}, row.map(cell =>
      cell instanceof Node && cell.nodeName === "TD" ? cell : html("td", {}, cell)))))]));
}

function section(id, title, children) {
  return html("section", { id, "aria-labelledby": id + "-title" },
    [html("h2", { id: id + "-title" }, title)].concat(children));
}

// One row per entry; a field with a comma or a quote is quoted.
function csv(head, rows) {
  const field = value => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return [head].concat(rows).map(row => row.map(field).join(",")).join("\n") + "\n";
}
function download(name, text) {
  const href = "data:text/csv;charset=utf-8," + encodeURIComponent(text);
  return html("a", { class: "download", download: name, href }, name);
}

// Round numbers between low and high.
function ticks(low, high, wanted) {
  const rough = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough * (1 - 1e-9));
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) {
    list.push(Number((k * step).toPrecision(12)));
  }
  return list;
}

const tip = document.getElementById("tip");
function showTip(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const x = Math.min(event.clientX + 14, innerWidth - box.width - 6);
  const y = event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 12
    : event.clientY + 18;
  tip.style.left = Math.max(4, x) + "px";
  tip.style.top = y + "px";
}
const hideTip = () => { tip.hidden = true; };
