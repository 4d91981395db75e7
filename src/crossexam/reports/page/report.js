"use strict";
// The browser of items. Data is written through textContent only.
(() => {
  const LABELS = ["entailment", "neutral", "contradiction", "not entailment"]; // the last: of two-label models
  const NOT_ENTAILED = 3;
  const A_PAGE = 10;
  const [SET, ID, GOLD, PREMISE, HYPOTHESIS, BASE_PREMISE, BASE_HYPOTHESIS, BASE_GOLD, ANSWERS, BEFORE, FACTS] =
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const controls = ["find", "set", "model", "gold", "answer", "outcome", "flipped", "order"].map(at);
  const [find, set, model, gold, answer, outcome, flipped, order] = controls;
  let found = [];
  let page = 0;

  const make = (tag, kind, text) => {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const said = (answer) => (answer ? answer[0] : -1);
  const isRight = (label, goldLabel) => label === goldLabel || (label === NOT_ENTAILED && goldLabel > 0);
  const plain = (sentence) => {
    if (sentence === null) return "";
    if (typeof sentence === "number") return data.texts[sentence];
    return sentence.map((piece) => (typeof piece === "string" ? piece : piece[0])).join("");
  };
  const searched = new Map();
  const haystack = (item) => {
    let text = searched.get(item);
    if (text === undefined) {
      text = `${item[ID]}\n${plain(item[PREMISE])}\n${plain(item[HYPOTHESIS])}\n${item[FACTS]}`.toLowerCase();
      searched.set(item, text);
    }
    return text;
  };

  const fits = (item, wanted) => {
    if (wanted.set !== "" && item[SET] !== Number(wanted.set)) return false;
    if (wanted.gold !== "" && item[GOLD] !== Number(wanted.gold)) return false;
    const now = said(item[ANSWERS][wanted.model]);
    if (wanted.answer !== "" && now !== Number(wanted.answer)) return false;
    if (wanted.outcome !== "") {
      if (now < 0 || item[GOLD] < 0) return false;
      if (isRight(now, item[GOLD]) !== (wanted.outcome === "right")) return false;
    }
    if (wanted.flipped !== "") {
      const before = said(item[BEFORE][wanted.model]);
      if (now < 0 || before < 0) return false;
      if ((now !== before) !== (wanted.flipped === "yes")) return false;
    }
    return wanted.words.every((word) => haystack(item).includes(word));
  };

  const filter = () => {
    const wanted = {
      set: set.value, model: Number(model.value || 0), gold: gold.value, answer: answer.value,
      outcome: outcome.value, flipped: flipped.value,
      words: find.value.toLowerCase().split(/\s+/).filter(Boolean),
    };
    found = data.items.filter((item) => fits(item, wanted));
    if (order.value === "sure") {
      const surety = (item) => {
        const now = item[ANSWERS][wanted.model];
        if (!now || item[GOLD] < 0 || isRight(now[0], item[GOLD])) return -1;
        return now[0] === NOT_ENTAILED ? 1000 - now[1] : now[1 + now[0]];
      };
      found.sort((one, other) => surety(other) - surety(one));
    }
    page = 0;
    show();
  };

  const sentence = (role, text) => {
    const paragraph = make("p");
    paragraph.append(make("span", "role", role));
    for (const piece of typeof text === "number" ? [data.texts[text]] : text) {
      if (typeof piece === "string") {
        paragraph.append(document.createTextNode(piece));
        continue;
      }
      const [now, old] = piece;
      if (old) paragraph.append(make("del", "", old));
      if (now) {
        const added = make("ins", "", now);
        if (old) added.title = `was: ${old}`;
        paragraph.append(added);
      }
    }
    return paragraph;
  };

  // The parts of a bar: class, letter, thousandths.
  const partsOf = ([, ...shares], twoLabels) =>
    twoLabels
      ? [["entailment", "E", shares[0]], ["neutral", "not E", 1000 - shares[0]]]
      : shares.map((share, each) => [LABELS[each], LABELS[each][0].toUpperCase(), share]);
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

  const answered = (number, answer, goldLabel, before, two) => {
    const row = make("div", "answer");
    if (data.models.length > 1) row.append(make("span", "who", data.models[number]));
    const label = answer[0];
    const judged = goldLabel < 0 ? "" : isRight(label, goldLabel) ? "right" : "wrong";
    const mark = { right: "✓ correct: ", wrong: "✗ wrong: ", "": "" }[judged];
    const verdict = make("span", `verdict ${judged}`, mark + LABELS[label]);
    if (before >= 0 && before !== label) verdict.append(make("span", "flip", ` (was ${LABELS[before]})`));
    const parts = partsOf(answer, two || data.twoLabels[number]);
    const percent = parts.map(([, letter, share]) => `${letter} ${(share / 10).toFixed(1)}`);
    row.append(verdict, bar(parts), make("span", "shares", percent.join(" · ")));
    return row;
  };

  const pair = (title, premise, hypothesis, goldLabel, answers, before, two) => {
    const side = make("div", "pair");
    const [texts, given] = [make("div", "texts"), make("div", "given")];
    if (title) texts.append(make("h4", "", title));
    texts.append(sentence("Premise", premise), sentence("Hypothesis", hypothesis));
    side.append(texts, given);
    answers.forEach((answer, number) => {
      if (answer) given.append(answered(number, answer, goldLabel, said(before[number]), two));
    });
    return side;
  };

  const card = (item) => {
    const element = make("article", "item");
    const title = make("h3");
    title.append(make("b", "", data.sets[item[SET]].name), make("span", "id", item[ID]));
    title.append(make("span", "", `gold: ${item[GOLD] < 0 ? "none" : LABELS[item[GOLD]]}`));
    if (item[FACTS]) title.append(make("span", "", item[FACTS]));
    const two = data.sets[item[SET]].two;
    const pairs = make("div", "pairs");
    if (item[BASE_PREMISE] !== null) {
      const was = item[BASE_GOLD] < 0 ? "Constructed from" : `Base, gold: ${LABELS[item[BASE_GOLD]]}`;
      pairs.append(pair(was, item[BASE_PREMISE], item[BASE_HYPOTHESIS], item[BASE_GOLD], item[BEFORE], [], two));
    }
    const now = item[BASE_PREMISE] === null ? "" : "Item";
    if (!now) pairs.classList.add("single");
    pairs.append(pair(now, item[PREMISE], item[HYPOTHESIS], item[GOLD], item[ANSWERS], item[BEFORE], two));
    element.append(title, pairs);
    return element;
  };

  const show = () => {
    const pages = Math.max(1, Math.ceil(found.length / A_PAGE));
    page = Math.min(Math.max(page, 0), pages - 1);
    const list = at("list");
    const shown = found.slice(page * A_PAGE, (page + 1) * A_PAGE).map(card);
    list.replaceChildren(...(shown.length ? shown : [make("p", "empty", "No item matches these filters.")]));
    at("count").textContent = `${found.length.toLocaleString("en")} ${found.length === 1 ? "item" : "items"}`;
    at("page").textContent = `page ${page + 1} of ${pages}`;
    for (const id of ["previous", "previous-below"]) at(id).disabled = page === 0;
    for (const id of ["next", "next-below"]) at(id).disabled = page === pages - 1;
  };
  const turn = (step, toTop) => {
    page += step;
    show();
    if (toTop) at("count").scrollIntoView({ block: "center" });
  };

  const option = (select, value, text) => {
    const element = make("option", "", text);
    element.value = value;
    select.append(element);
  };
  option(set, "", "all");
  data.sets.forEach((each, number) => {
    const cut = each.shown < each.total ? ` (${each.shown} of ${each.total.toLocaleString("en")})` : "";
    option(set, number, each.name + cut);
  });
  set.value = data.first; // the test set of the headline; Clear shows all test sets
  if (data.twoLabels.includes(true) || data.sets.some((each) => each.two)) option(answer, NOT_ENTAILED, LABELS[NOT_ENTAILED]);
  data.models.forEach((name, number) => option(model, number, name));
  at("of-model").hidden = data.models.length < 2;

  let waiting = 0;
  find.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  for (const control of controls.slice(1)) control.addEventListener("change", filter);
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("filters").addEventListener("reset", () => setTimeout(filter));
  at("previous").addEventListener("click", () => turn(-1, false));
  at("next").addEventListener("click", () => turn(1, false));
  at("previous-below").addEventListener("click", () => turn(-1, true));
  at("next-below").addEventListener("click", () => turn(1, true));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "/") {
      event.preventDefault();
      find.focus();
    } else if (event.key === "n" && !at("next").disabled) turn(1, false);
    else if (event.key === "p" && !at("previous").disabled) turn(-1, false);
  });
  filter();
})();
