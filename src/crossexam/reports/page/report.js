"use strict";
// The browser of items. Data is written through textContent only.
(() => {
  const LABELS = ["entailment", "neutral", "contradiction", "not entailment"]; // the last: of two labels
  const NOT_ENTAILED = 3;
  const IS_WIDE = window.matchMedia("(min-width: 60rem)").matches;
  const AT_ONCE = window.matchMedia("(max-width: 40rem)").matches ? 10 : 20; // by each press of "Show more"
  const [SET, ID, GOLD, PREMISE, HYPOTHESIS, BASE_PREMISE, BASE_HYPOTHESIS, BASE_GOLD, ANSWERS, BEFORE, FACTS] =
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  const LINK = "#item=";
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const controls = ["find", "set", "model", "gold", "answer", "outcome", "flipped", "order"].map(at);
  const [find, set, model, gold, answer, outcome, flipped, order] = controls;
  // What the list is of: the items so far, the parts that have the others, and how many there are in all.
  let view = { items: [], rest: [], total: 0, filtered: false };
  let shown = 0;
  let linked = ""; // what the list shows if the address names an item: its item or why there is none

  const CONTROLS = new RegExp(data.controls, "gu");
  const SIGNED_NUMBER = new RegExp(`^${data.number}$`);
  const digitsOf = (control, width) => control.charCodeAt(0).toString(16).padStart(width, "0");
  const escaped = (control) => (control < "\u0100" ? `\\x${digitsOf(control, 2)}` : `\\u${digitsOf(control, 4)}`);
  // What controls how other characters are shown is shown by its escape.
  const visible = (text) => text.replaceAll("\r\n", "\n").replace(CONTROLS, escaped);
  const make = (tag, kind, text) => {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    if (text !== undefined) element.textContent = visible(text);
    return element;
  };
  // The label of an answer: -1 if the model was not asked, less than that if it was asked and did not answer.
  const said = (answer) => (answer ? answer[0] : -1);
  const isAnswered = (answer) => said(answer) >= 0;
  const statusOf = (label) => (label < -1 ? data.statuses[-1 - label] : "answered");
  const isRight = (label, goldLabel) => label === goldLabel || (label === NOT_ENTAILED && goldLabel > 0);
  const correct = (item, number) => item[GOLD] >= 0 && isRight(said(item[ANSWERS][number]), item[GOLD]);
  // What was predicted for the base of an item, if the two are compared.
  const saidOfBase = (item, number) => (data.sets[item[SET]].compared ? said(item[BEFORE][number]) : -1);
  // The labels on which an answer is scored, and the gold label among them.
  const labelsOf = (item, number) => {
    const { labels } = data.sets[item[SET]];
    return data.twoLabels[number] && labels.length > 2 ? [0, NOT_ENTAILED] : labels;
  };
  const scoredGold = (item, number) =>
    item[GOLD] > 0 && labelsOf(item, number).includes(NOT_ENTAILED) ? NOT_ENTAILED : item[GOLD];
  const plain = (sentence) => {
    if (sentence === null) return "";
    if (typeof sentence === "string") return sentence;
    return sentence.map((piece) => (typeof piece === "string" ? piece : piece[0])).join("");
  };
  const digits = (count) => count.toLocaleString("en");
  const decoded = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const encoded = (name) => encodeURIComponent(name.replace(/[\ud800-\udfff]/gu, "\ufffd")); // lone surrogates
  const addressOf = (item) => `${LINK}${encoded(data.sets[item[SET]].name)}/${encoded(item[ID])}`;
  const searched = new Map();
  const haystack = (item) => {
    let text = searched.get(item);
    if (text === undefined) {
      text = `${item[ID]}\n${plain(item[PREMISE])}\n${plain(item[HYPOTHESIS])}\n${item[FACTS]}`.toLowerCase();
      searched.set(item, text);
    }
    return text;
  };

  // The parts of the items, each unpacked when it is first needed

  const PARTS = data.sets.flatMap(({ parts }, set) => parts.map(([name, count]) => ({ name, count, set })));
  const arrived = new Map();
  window.crossexamItems = (name, text) => arrived.set(name, text); // what a file beside the page calls
  const fileOf = ({ name }) => (data.folder === null ? "The page" : `The file ${decoded(data.folder)}${name}.js`);
  const damaged = (part) => new Error(`${fileOf(part)} is damaged. Write the report again.`);
  const runFile = (part) =>
    new Promise((resolve, reject) => {
      const script = make("script");
      script.src = `${data.folder}${part.name}.js`;
      const missing = `${fileOf(part)} is missing. Put the folder beside this page, or write the report again.`;
      script.addEventListener("load", () => (arrived.has(part.name) ? resolve() : reject(damaged(part))));
      script.addEventListener("error", () => reject(new Error(missing)));
      document.head.append(script);
    });
  const textOf = async (part) => {
    if (data.folder === null) return at(`part-${part.name}`).textContent;
    await runFile(part);
    const text = arrived.get(part.name);
    arrived.delete(part.name);
    return text;
  };
  const inflated = (text) => {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let place = 0; place < bytes.length; place += 1) bytes[place] = binary.charCodeAt(place);
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  };
  const itemsOf = async (part) => {
    if (!window.DecompressionStream) {
      throw new Error("This browser cannot unpack the items. Chrome 80, Firefox 113, Safari 16.4 and later can.");
    }
    const text = await textOf(part);
    const { texts, items } = await inflated(text).then(JSON.parse).catch(() => { throw damaged(part); });
    for (const item of items) {
      for (const side of [PREMISE, HYPOTHESIS, BASE_PREMISE, BASE_HYPOTHESIS]) {
        if (typeof item[side] === "number") item[side] = texts[item[side]];
      }
    }
    return items;
  };
  const unpacking = new Map();
  const unpacked = (part) => {
    if (!unpacking.has(part)) unpacking.set(part, itemsOf(part));
    return unpacking.get(part);
  };
  const busy = (is) => {
    at("list").setAttribute("aria-busy", is);
    for (const id of ["export-csv", "export-jsonl", "more"]) at(id).disabled = is;
  };
  const viewOf = (parts) => {
    view = { items: [], rest: [...parts], total: parts.reduce((sum, { count }) => sum + count, 0), filtered: false };
    return view;
  };
  // Unpack parts of a view until it has so many items or all. Return whether it is still what the list is of.
  const gather = async (mine, count) => {
    while (mine.items.length < count && mine.rest.length) {
      const [part] = mine.rest;
      busy(true);
      at("count").textContent = `Loading items: ${digits(mine.items.length)} of ${digits(mine.total)}`;
      let items;
      try {
        items = await unpacked(part);
      } catch (error) {
        if (view === mine) throw error;
      }
      if (view !== mine) return false;
      if (mine.rest[0] !== part) continue; // it was gathered meanwhile
      mine.rest.shift();
      mine.items.push(...items);
    }
    return true;
  };
  const orSayWhyNot = (action) => async (...given) => {
    try {
      await action(...given);
    } catch (error) {
      unpacking.clear(); // so that the next try finds what was put right
      busy(true);
      at("list").setAttribute("aria-busy", false);
      at("list").replaceChildren(make("p", "empty", error.message));
      at("list").firstChild.setAttribute("role", "alert");
      at("count").textContent = "";
      at("more").hidden = true;
    }
  };

  // Filters

  // Whether one of several models alone is right, or alone is wrong, among those that count on the test set.
  const isAlone = (item, one, right) => {
    const { together } = data.sets[item[SET]];
    if (!together.includes(one) || !together.every((each) => isAnswered(item[ANSWERS][each]))) return false;
    return together.every((each) => correct(item, each) === ((each === one) === right));
  };
  const hasOutcome = (item, wanted) => {
    if (item[GOLD] < 0 || said(item[ANSWERS][wanted.model]) < 0) return false;
    if (wanted.outcome === "right") return correct(item, wanted.model);
    if (wanted.outcome === "wrong") return !correct(item, wanted.model);
    if (wanted.outcome.startsWith("alone")) return isAlone(item, wanted.model, wanted.outcome === "alone-right");
    const one = Number(wanted.outcome.slice("only".length)); // of two models, only this one is right
    return item[ANSWERS].every(isAnswered) && correct(item, one) && !correct(item, 1 - one);
  };
  const fits = (item, wanted) => {
    if (wanted.set !== "" && item[SET] !== Number(wanted.set)) return false;
    if (wanted.gold !== "" && item[GOLD] !== Number(wanted.gold)) return false;
    const now = said(item[ANSWERS][wanted.model]);
    if (wanted.answer !== "" && now !== Number(wanted.answer)) return false;
    if (wanted.outcome !== "" && !hasOutcome(item, wanted)) return false;
    if (wanted.flipped !== "") {
      const before = saidOfBase(item, wanted.model);
      if (now < 0 || before < 0) return false;
      if ((now !== before) !== (wanted.flipped === "yes")) return false;
    }
    return wanted.words.every((word) => haystack(item).includes(word));
  };
  const filter = orSayWhyNot(async () => {
    const wanted = {
      set: set.value, model: Number(model.value || 0), gold: gold.value, answer: answer.value,
      outcome: outcome.value, flipped: flipped.value,
      words: find.value.toLowerCase().split(/\s+/).filter(Boolean),
    };
    const mine = viewOf(PARTS.filter((part) => wanted.set === "" || part.set === Number(wanted.set)));
    linked = "";
    const { gold: label, answer: given, outcome: judged, flipped: changed, words } = wanted;
    mine.filtered = Boolean(label || given || judged || changed || words.length);
    if (mine.filtered || order.value) {
      if (!(await gather(mine, Infinity))) return;
      mine.items = mine.items.filter((item) => fits(item, wanted));
      mine.total = mine.items.length;
    }
    if (order.value === "sure") {
      const surety = (item) => {
        const now = item[ANSWERS][wanted.model];
        if (!isAnswered(now) || item[GOLD] < 0 || isRight(now[0], item[GOLD])) return -1;
        return now[1 + labelsOf(item, wanted.model).indexOf(now[0])];
      };
      mine.items.sort((one, other) => surety(other) - surety(one));
    }
    await showFrom(0);
  });

  // An item as a card: closed, its sentences and the verdict on the chosen model; open, everything.

  const sentence = (role, text) => {
    const paragraph = make("p", typeof text === "string" ? "" : "edited");
    paragraph.append(make("span", "role", role));
    for (const piece of typeof text === "string" ? [text] : text) {
      if (typeof piece === "string") {
        paragraph.append(document.createTextNode(visible(piece)));
        continue;
      }
      const [now, old] = piece;
      if (old) paragraph.append(make("del", "", old));
      if (now) {
        const added = make("ins", "", now);
        if (old) added.title = `was: ${visible(old)}`;
        paragraph.append(added);
      }
    }
    return paragraph;
  };
  const texts = (premise, hypothesis) => {
    const both = make("div", typeof premise === "string" && typeof hypothesis === "string" ? "texts" : "texts edited");
    both.append(sentence("Premise", premise), sentence("Hypothesis", hypothesis));
    return both;
  };
  const verdictOn = (label, goldLabel, before) => {
    if (label < 0) return make("span", "verdict unanswered", `no answer: ${statusOf(label).replaceAll("_", " ")}`);
    const judged = goldLabel < 0 ? "" : isRight(label, goldLabel) ? "right" : "wrong";
    const mark = { right: "✓ correct: ", wrong: "✗ wrong: ", "": "" }[judged];
    const verdict = make("span", `verdict ${judged}`, mark + LABELS[label]);
    if (before >= 0 && before !== label) verdict.append(make("span", "flip", ` (was ${LABELS[before]})`));
    return verdict;
  };

  // The parts of a bar: class, letter, thousandths.
  const partsOf = ([, ...shares], labels) =>
    labels.map((label, place) => [
      label === NOT_ENTAILED ? "neutral" : LABELS[label],
      label === NOT_ENTAILED ? "not E" : LABELS[label][0].toUpperCase(),
      shares[place],
    ]);
  const bar = (parts) => {
    const whole = make("div", "bar");
    whole.setAttribute("aria-hidden", "true");
    parts.forEach(([kind, letter, share]) => {
      const part = make("span", `part ${kind}`, share >= 150 ? letter : "");
      part.style.flexGrow = share;
      part.style.flexBasis = "0";
      if (share > 0) whole.append(part);
    });
    return whole;
  };
  const answered = (number, answer, goldLabel, before, labels) => {
    const row = make("div", "answer");
    if (data.models.length > 1) row.append(make("span", "who", data.models[number]));
    if (!isAnswered(answer)) {
      row.append(verdictOn(answer[0], goldLabel, before));
      return row;
    }
    const parts = partsOf(answer, labels);
    const percent = parts.map(([, letter, share]) => `${letter} ${(share / 10).toFixed(1)}`);
    const shares = [percent.join(" · "), data.rescaled[number]].filter(Boolean).join(", ");
    row.append(verdictOn(answer[0], goldLabel, before), bar(parts), make("span", "shares", shares));
    return row;
  };
  const pair = (item, title, premise, hypothesis, goldLabel, answers, isBase) => {
    const side = make("div", "pair");
    const given = make("div", "given");
    if (title) side.append(make("h4", "", title));
    side.append(texts(premise, hypothesis), given);
    answers.forEach((answer, number) => {
      const labels = labelsOf(item, number);
      const before = isBase ? -1 : saidOfBase(item, number);
      if (answer) given.append(answered(number, answer, goldLabel, before, labels));
    });
    return side;
  };
  const inFull = (item) => {
    const pairs = make("div", "pairs");
    if (item[BASE_PREMISE] !== null) {
      const was = item[BASE_GOLD] < 0 ? "Constructed from" : `Base, gold: ${LABELS[item[BASE_GOLD]]}`;
      pairs.append(pair(item, was, item[BASE_PREMISE], item[BASE_HYPOTHESIS], item[BASE_GOLD], item[BEFORE], true));
    }
    const now = item[BASE_PREMISE] === null ? "" : "Item";
    if (!now) pairs.classList.add("single");
    pairs.append(pair(item, now, item[PREMISE], item[HYPOTHESIS], item[GOLD], item[ANSWERS], false));
    return pairs;
  };
  const heading = (item) => {
    const title = make("h3");
    title.append(make("b", "", data.sets[item[SET]].short), make("span", "id", item[ID]));
    title.append(make("span", "", `gold: ${item[GOLD] < 0 ? "none" : LABELS[item[GOLD]]}`));
    if (item[FACTS]) title.append(make("span", "facts", item[FACTS]));
    return title;
  };
  const briefly = (item) => {
    const line = make("p", "brief");
    const number = Number(model.value || 0);
    const answer = item[ANSWERS][number];
    if (answer) {
      if (data.models.length > 1) line.append(make("span", "who", `${data.models[number]} `));
      line.append(verdictOn(answer[0], item[GOLD], saidOfBase(item, number)));
    }
    const given = item[ANSWERS].flatMap((each, place) => (isAnswered(each) ? [place] : []));
    if (given.length > 1 && item[GOLD] >= 0) {
      const right = given.filter((place) => correct(item, place)).length;
      line.append(make("span", "flip", ` · ${right} of ${given.length} correct`));
    }
    return line;
  };
  const card = (item) => {
    const element = make("article", "item");
    const details = make("details");
    const summary = make("summary");
    summary.append(heading(item), texts(item[PREMISE], item[HYPOTHESIS]), briefly(item));
    details.append(summary);
    const fill = () => details.childElementCount > 1 || details.append(inFull(item));
    details.addEventListener("toggle", fill);
    const link = make("a", "anchor", "#");
    link.href = addressOf(item);
    link.setAttribute("aria-label", visible(`Link to item ${item[ID]}`));
    element.append(details, link);
    return [element, () => { fill(); details.open = true; }];
  };

  // The list

  const settle = () => {
    busy(false);
    const { total } = view;
    at("count").textContent = linked && total ? linked : `${digits(total)} ${total === 1 ? "item" : "items"}`;
    const left = total - shown;
    at("more").hidden = left === 0;
    at("more").textContent = `Show ${digits(Math.min(AT_ONCE, left))} more of ${digits(left)}`;
    for (const id of ["export-csv", "export-jsonl"]) at(id).disabled = !total;
  };
  const showFrom = async (start) => {
    const mine = view;
    if (!(await gather(mine, start + AT_ONCE))) return;
    const list = at("list");
    if (!start) list.replaceChildren();
    const cards = mine.items.slice(start, start + AT_ONCE).map(card);
    list.append(...cards.map(([element]) => element));
    shown = start + cards.length;
    if (!start && cards.length && (linked || IS_WIDE)) cards[0][1](); // opens it
    const none = mine.filtered ? "No item matches these filters." : "No item of this test set is on this page.";
    if (!cards.length) list.append(make("p", "empty", linked || none));
    settle();
  };
  const showMore = orSayWhyNot(async () => {
    const first = shown;
    await showFrom(first);
    at("list").children[first]?.querySelector("summary").focus({ preventScroll: true });
  });
  // Show the item that the address names, whatever the filters say. Return whether it names one.
  const showLinked = () => {
    if (!location.hash.startsWith(LINK)) return false;
    const address = location.hash.slice(LINK.length).split("/").map(decoded);
    at("filters").reset();
    showItem(...address);
    return true;
  };
  const showItem = orSayWhyNot(async (name, id) => {
    linked = "";
    const mine = viewOf(PARTS.filter((part) => encoded(data.sets[part.set].name) === encoded(name)));
    const wanted = `${LINK}${encoded(name)}/${encoded(id ?? "")}`;
    let item;
    do {
      const before = mine.items.length;
      if (!(await gather(mine, before + 1))) return;
      item = mine.items.slice(before).find((each) => addressOf(each) === wanted);
    } while (!item && mine.rest.length);
    Object.assign(mine, { items: item ? [item] : [], rest: [], total: item ? 1 : 0 });
    const cut = data.sets.some((each) => encoded(each.name) === encoded(name) && each.shown < each.total);
    const others = cut ? " crossexam report ... --items all shows all of them." : "";
    linked = item
      ? "The linked item (any filter shows the others)"
      : `Item ${id} of ${name} is not among the items of this page.${others}`;
    await showFrom(0);
    at("filters").nextElementSibling.scrollIntoView();
  });

  // Downloads: the items that the filters choose

  const KEYS = ["entailment", "neutral", "contradiction", "not_entailment"];
  const named = (label) => (label < 0 ? null : KEYS[label]);
  const probabilities = (item, number) => {
    if (!isAnswered(item[ANSWERS][number])) return null;
    const [, ...shares] = item[ANSWERS][number].map((share) => share / 1000);
    return Object.fromEntries(labelsOf(item, number).map((label, place) => [KEYS[label], shares[place]]));
  };
  const isCorrect = (item, number) =>
    isAnswered(item[ANSWERS][number]) && item[GOLD] >= 0 ? correct(item, number) : null;
  const record = (item) => ({
    test_set: data.sets[item[SET]].name,
    id: item[ID],
    premise: plain(item[PREMISE]),
    hypothesis: plain(item[HYPOTHESIS]),
    label: named(item[GOLD]),
    base_premise: item[BASE_PREMISE] === null ? null : plain(item[BASE_PREMISE]),
    base_hypothesis: item[BASE_HYPOTHESIS] === null ? null : plain(item[BASE_HYPOTHESIS]),
    base_label: named(item[BASE_GOLD]),
    info: item[FACTS],
    predictions: data.models.flatMap((name, number) =>
      item[ANSWERS][number]
        ? [{
          model: name,
          label: named(scoredGold(item, number)),
          predicted: named(said(item[ANSWERS][number])),
          correct: isCorrect(item, number),
          base_predicted: named(said(item[BEFORE][number])),
          ...(data.statuses.length ? { outcome: statusOf(said(item[ANSWERS][number])) } : {}),
          probabilities: probabilities(item, number),
          ...(data.rescaled[number] ? { note: data.rescaled[number] } : {}),
        }]
        : []),
  });
  const exactly = (json) => json.replace(CONTROLS, (control) => `\\u${digitsOf(control, 4)}`);
  const jsonLines = () => view.items.map((item) => `${exactly(JSON.stringify(record(item)))}\n`).join("");
  const cell = (value) => {
    if (value === null || value === undefined) return "";
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    const text = visible(value);
    const runs = data.formula.some((start) => text.startsWith(start)) && !SIGNED_NUMBER.test(text);
    const safe = runs ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const csv = () => {
    const plainKeys = Object.keys(record(view.items[0])).filter((key) => key !== "predictions");
    const header = [...plainKeys];
    const perModel = ["label", "predicted", "correct", "base_predicted", ...(data.statuses.length ? ["outcome"] : [])];
    data.models.forEach((name, number) => {
      const shares = KEYS.map((key) => [key, data.rescaled[number]].filter(Boolean).join(", "));
      header.push(...[...perModel, ...shares].map((key) => `${name}: ${key}`));
    });
    const rows = view.items.map(record).map((each) => [
      ...plainKeys.map((key) => each[key]),
      ...data.models.flatMap((name) => {
        const given = each.predictions.find((prediction) => prediction.model === name);
        return [...perModel.map((key) => given?.[key]), ...KEYS.map((key) => given?.probabilities?.[key])];
      }),
    ]);
    return [header, ...rows].map((row) => `${row.map(cell).join(",")}\n`).join("");
  };
  const download = (name, type, write) => orSayWhyNot(async () => {
    if (!(await gather(view, Infinity))) return;
    settle();
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([write()], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href));
  });

  // Controls

  const option = (select, value, text) => {
    const element = make("option", "", text);
    element.value = value;
    select.append(element);
  };
  const options = (select, labels, none) => {
    for (const label of labels.filter((each) => each >= 0)) option(select, label, LABELS[label]);
    if (none && labels.includes(-1)) option(select, -1, "none");
    for (const label of labels.filter((each) => each < -1)) option(select, label, statusOf(label).replaceAll("_", " "));
  };
  data.sets.forEach((each, number) => {
    const cut = each.shown < each.total ? ` (${digits(each.shown)} of ${digits(each.total)})` : "";
    option(set, number, each.short + cut);
  });
  options(gold, data.golds, true);
  options(answer, data.answers, false);
  data.models.forEach((name, number) => option(model, number, name));
  at("of-model").hidden = data.models.length < 2;
  if (data.models.length === 2 && data.twoLabels[0] === data.twoLabels[1]) {
    data.models.forEach((name, number) => option(outcome, `only${number}`, `only ${name} correct`));
  }
  if (data.sets.some(({ together }) => together.length)) {
    option(outcome, "alone-right", "correct, all others wrong");
    option(outcome, "alone-wrong", "wrong, all others correct");
  }

  let waiting = 0;
  find.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  for (const control of controls.slice(1)) control.addEventListener("change", filter);
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("filters").querySelector("[type=reset]").addEventListener("click", () => setTimeout(filter));
  at("more").addEventListener("click", showMore);
  at("export-csv").addEventListener("click", download("items.csv", "text/csv", csv));
  at("export-jsonl").addEventListener("click", download("items.jsonl", "application/jsonl", jsonLines));
  const sections = document.querySelectorAll("details.section");
  const openNamed = () => {
    const name = location.hash.startsWith(LINK) ? "items" : location.hash.slice(1);
    const named = document.getElementById(name)?.querySelector("details.section");
    if (named) named.open = true;
  };
  document.querySelector("nav").addEventListener("click", () => setTimeout(openNamed));
  window.addEventListener("hashchange", () => (openNamed(), showLinked()));
  window.addEventListener("beforeprint", () => sections.forEach((each) => (each.open = true)));
  openNamed();
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key !== "/") return;
    event.preventDefault();
    at("items").querySelector("details.section").open = true;
    find.focus();
  });
  if (!showLinked()) {
    set.value = data.first; // the test set of the headline; Clear shows all test sets
    filter();
  }
})();
