"use strict";
// Everything from a text is put in by textContent, never as markup.

const byId = (id) => document.getElementById(id);

function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
}

/* Tables */

function sortValue(cell) {
  if (!cell) return "";
  if (!cell.hasAttribute("data-v")) return cell.textContent.trim().toLocaleLowerCase();
  return cell.dataset.v === "" ? null : Number(cell.dataset.v);
}

// Numbers before words, and what is missing last in either direction.
function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), undefined, { numeric: true });
}

function sortBy(header) {
  const table = header.closest("table");
  const column = Array.from(header.parentNode.children).indexOf(header);
  const numeric = header.classList.contains("num");
  const now = header.getAttribute("aria-sort");
  const next = now ? (now === "ascending" ? "descending" : "ascending") : numeric ? "descending" : "ascending";
  for (const other of header.parentNode.children) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", next);
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row) => [sortValue(row.cells[column]), row]);
  rows.sort((a, b) => compare(a[0], b[0], next === "ascending" ? 1 : -1));
  body.append(...rows.map((pair) => pair[1]));
}

function filterScores() {
  const by = byId("score-by").value, scheme = byId("score-scheme").value, attacker = byId("score-attacker").value;
  for (const row of byId("score-table").tBodies[0].rows) {
    const data = row.dataset;
    row.hidden = !((data.by === "all" || data.by === by) && (!scheme || data.scheme === scheme)
      && (!attacker || data.attacker === attacker));
  }
}

/* Documents */

const documents = JSON.parse(byId("data").textContent);
const entries = [];

const attackerName = (guess) => (guess.model ? `${guess.attacker} (${guess.model})` : guess.attacker);
const period = (it) => [it.quarter ? `Q${it.quarter}` : "", it.year || ""].filter(Boolean).join(" ");

// "found" if any of the guesses names the firm, "missed" if some were answered and none does.
function outcomeOf(mask, attacker) {
  if (mask.text === null) return "unmasked";
  const guesses = mask.guesses.filter((guess) => !attacker || attackerName(guess) === attacker);
  if (!guesses.length) return "none";
  if (guesses.some((guess) => guess.right.firm === true)) return "found";
  return guesses.some((guess) => guess.outcome === "answered") ? "missed" : "unanswered";
}

const SAID = { found: "firm found", missed: "firm not found", unanswered: "no answer", unmasked: "masking failed", none: "not attacked" };
const SIGN = { found: "●", missed: "○", unanswered: "–", unmasked: "⚠", none: "·" };

function chip(mask) {
  const outcome = outcomeOf(mask, "");
  const finders = mask.guesses.filter((guess) => guess.right.firm === true).map(attackerName);
  const title = SAID[outcome] + (finders.length ? ` by ${finders.join(", ")}` : "");
  return make("span", { class: `chip ${outcome}`, title },
    `${SIGN[outcome]} ${mask.scheme}`, make("span", { class: "unseen" }, `: ${title}; `));
}

function marked(text, marks, hint) {
  const box = make("div", { class: "text", tabindex: "0" });
  let end = 0;
  for (const [from, to, family, kind, placeholder] of marks) {
    box.append(text.slice(end, from));
    box.append(make("mark", { class: `k-${family}`, title: hint(kind, placeholder), "data-p": placeholder }, text.slice(from, to)));
    end = to;
  }
  box.append(text.slice(end));
  return box;
}

function legend(marks) {
  const kinds = new Map(marks.map((mark) => [mark[3], mark[2]]));
  if (!kinds.size) return null;
  const box = make("div", { class: "legend", "aria-label": "Kinds of replacement" });
  for (const [kind, family] of kinds) box.append(make("mark", { class: `k-${family}` }, kind));
  return box;
}

function pane(title, body) {
  const box = make("div", { class: "pane" }, make("h3", {}, title));
  if (body.classList.contains("text")) { body.setAttribute("role", "group"); body.setAttribute("aria-label", title); }
  box.append(body);
  return box;
}

function panes(doc, mask) {
  const left = doc.original === null
    ? make("p", { class: "text quiet" }, "The original is not in this file: the report was made without it.")
    : marked(doc.original, mask.before, (kind, placeholder) => `${kind}, replaced by ${placeholder}`);
  const right = mask.text === null
    ? make("p", { class: "text quiet" }, `Could not be masked: ${mask.reason || "no reason was recorded"}. It is absent from the masked corpus.`)
    : marked(mask.text, mask.after, (kind) => kind);
  const title = mask.rewritten ? `Masked by ${mask.scheme} (rewritten as a whole)` : `Masked by ${mask.scheme}`;
  return make("div", { class: "panes" }, pane("Original", left), pane(title, right));
}

// In red what the attacker got right: that is what a mask is there to prevent.
function judged(text, right) {
  if (text === null || text === undefined || text === "") return make("td", {}, "–");
  if (right === null || right === undefined) return make("td", {}, String(text));
  return make("td", { class: right ? "right" : "wrong" }, `${right ? "✓" : "✗"} ${text}`, make("span", { class: "unseen" }, right ? " (right)" : " (wrong)"));
}

function firmCell(guess) {
  const cell = judged(guess.firm, guess.right.firm);
  const rest = guess.candidates.slice(1).map(([name, score]) => (score === null ? name : `${name} ${score.toFixed(2)}`));
  if (rest.length) cell.append(make("small", {}, `then ${rest.join(", ")}`));
  return cell;
}

function outcomeCell(guess) {
  const cell = make("td", {}, guess.outcome);
  if (guess.confidence !== null) cell.append(make("small", {}, `confidence ${guess.confidence}`));
  if (guess.reason) cell.append(make("small", {}, guess.reason));
  if (guess.answer) {
    cell.append(make("details", {}, make("summary", {}, "answer"), make("div", { class: "answer" }, guess.answer)));
  }
  return cell;
}

function guessRow(guess) {
  const who = make("th", { scope: "row" }, attackerName(guess));
  if (guess.small) who.append(" ", make("span", { class: "badge" }, guess.small));
  return make("tr", {}, who, firmCell(guess), judged(guess.quarter ? `Q${guess.quarter}` : null, guess.right.quarter),
    guess.date && !guess.year ? judged(guess.date, guess.right.date) : judged(guess.year, guess.right.year), judged(guess.industry, null), outcomeCell(guess));
}

function guessTable(doc, mask) {
  const truth = doc.truth;
  const head = make("tr", {}, ...["", "Firm", "Quarter", truth.kind === "headline" ? "Date" : "Year", "Industry", "Outcome"].map((text) =>
    text ? make("th", { scope: "col" }, text) : make("td", {})));
  const real = make("tr", { class: "truth" }, make("th", { scope: "row" }, "The truth"),
    make("td", {}, truth.firm || "–", truth.ticker && truth.ticker !== truth.firm ? ` (${truth.ticker})` : ""),
    make("td", {}, truth.quarter ? `Q${truth.quarter}` : "–"), make("td", {}, truth.year ? String(truth.year) : truth.kind === "headline" && truth.date ? truth.date : "–"),
    make("td", {}, truth.sector || "–"), make("td", {}, truth.date ? `dated ${truth.date}` : ""));
  const body = make("tbody", {}, real, ...mask.guesses.map(guessRow));
  if (!mask.guesses.length) body.append(make("tr", {}, make("td", { colspan: "6" }, "No attacker saw this document under this scheme.")));
  const table = make("table", {}, make("caption", {}, "What each attacker guessed"), make("thead", {}, head), body);
  return make("div", { class: "guesses scroll", tabindex: "0", role: "group", "aria-label": "Guesses" }, table);
}

function showMask(entry, place) {
  const mask = entry.doc.masks[place];
  const parts = [legend(mask.before.length ? mask.before : mask.after), panes(entry.doc, mask), guessTable(entry.doc, mask)];
  entry.stage.replaceChildren(...parts.filter(Boolean));
}

function tabs(entry, chosen) {
  const box = make("fieldset", { class: "tabs" }, make("legend", {}, "Scheme"));
  entry.doc.masks.forEach((mask, place) => {
    const input = make("input", { type: "radio", name: `scheme-${entry.place}`, value: place });
    input.checked = place === chosen;
    input.addEventListener("change", () => showMask(entry, place));
    box.append(make("label", {}, input, mask.scheme));
  });
  return box;
}

// The scheme that the filter names, else the last one: the strongest mask is the most telling.
function preferred(doc) {
  const wanted = byId("doc-scheme").value;
  const place = doc.masks.findIndex((mask) => mask.scheme === wanted);
  return place >= 0 ? place : doc.masks.length - 1;
}

function openEntry(entry) {
  if (!entry.node.open || entry.stage) return;
  entry.stage = make("div", {});
  const chosen = preferred(entry.doc);
  const body = make("div", { class: "body" });
  if (chosen >= 0) body.append(tabs(entry, chosen), entry.stage);
  else body.append(make("p", { class: "quiet" }, "No mask of this document is in the run."));
  entry.node.append(body);
  if (chosen >= 0) showMask(entry, chosen);
}

// Documents that are open already follow the filter's scheme too.
function followScheme() {
  for (const entry of entries) {
    const input = entry.stage && entry.node.querySelector(`.tabs input[value="${preferred(entry.doc)}"]`);
    if (input && !input.checked && byId("doc-scheme").value) input.click();
  }
}

function addEntry(doc, place) {
  const truth = doc.truth;
  const facts = [period(truth), truth.size, truth.kind === "transcript" ? "" : truth.kind].filter(Boolean).join(" · ");
  const summary = make("summary", {}, make("span", { class: "who" }, truth.firm || doc.id), make("span", {}, facts),
    make("span", { class: "id" }, doc.id), make("span", { class: "chips" }, ...doc.masks.map(chip)));
  const entry = { doc, place, node: make("details", { class: "doc" }, summary), stage: null, words: null };
  entry.node.addEventListener("toggle", () => openEntry(entry));
  entries.push(entry);
  return entry.node;
}

function wordsOf(entry) {
  const { doc } = entry;
  entry.words ??= [doc.id, doc.truth.firm, doc.truth.ticker, doc.truth.sector, doc.original, ...doc.masks.map((mask) => mask.text)]
    .filter(Boolean).join("\n").toLocaleLowerCase();
  return entry.words;
}

function fits(entry, wanted) {
  const masks = entry.doc.masks.filter((mask) => !wanted.scheme || mask.scheme === wanted.scheme);
  const seen = masks.map((mask) => outcomeOf(mask, wanted.attacker));
  if (wanted.scheme && !masks.length) return false;
  if (wanted.attacker && !seen.some((outcome) => outcome !== "none" && outcome !== "unmasked") && wanted.outcome !== "unmasked") return false;
  if (wanted.outcome && !seen.includes(wanted.outcome)) return false;
  return wanted.words.every((word) => wordsOf(entry).includes(word));
}

function filterDocuments() {
  const wanted = {
    scheme: byId("doc-scheme").value, attacker: byId("doc-attacker").value, outcome: byId("doc-outcome").value,
    words: byId("find").value.toLocaleLowerCase().split(/\s+/).filter(Boolean),
  };
  let count = 0;
  for (const entry of entries) {
    entry.node.hidden = !fits(entry, wanted);
    count += entry.node.hidden ? 0 : 1;
  }
  byId("count").textContent = count === entries.length
    ? `${count} documents` : `${count} of ${entries.length} documents fit`;
}

// The same placeholder is outlined wherever it stands in the document.
function outlineSame(event, on) {
  const mark = event.target.closest("mark[data-p]");
  if (!mark) return;
  for (const other of mark.closest(".panes").querySelectorAll("mark[data-p]")) {
    if (other.dataset.p === mark.dataset.p) other.classList.toggle("same", on);
  }
}

function start() {
  for (const button of document.querySelectorAll(".sortable th button")) {
    button.addEventListener("click", () => sortBy(button.parentNode));
  }
  for (const id of ["score-by", "score-scheme", "score-attacker"]) byId(id).addEventListener("change", filterScores);
  filterScores();
  byId("list").append(...documents.map(addEntry));
  byId("find").addEventListener("input", filterDocuments);
  for (const id of ["doc-scheme", "doc-attacker", "doc-outcome"]) byId(id).addEventListener("change", filterDocuments);
  byId("doc-scheme").addEventListener("change", followScheme);
  byId("list").addEventListener("mouseover", (event) => outlineSame(event, true));
  byId("list").addEventListener("mouseout", (event) => outlineSame(event, false));
  byId("open-all").addEventListener("click", () => { for (const entry of entries) if (!entry.node.hidden) entry.node.open = true; });
  byId("close-all").addEventListener("click", () => { for (const entry of entries) entry.node.open = false; });
  window.addEventListener("beforeprint", () => entries.forEach(openEntry));
  filterDocuments();
}

start();
