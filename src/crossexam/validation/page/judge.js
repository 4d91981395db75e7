"use strict";
// The forms work without this script.  With it, keys press the buttons, and an answer that could not be saved
// stays on the screen.  It runs before the page is shown, so that no key press is lost.
let busy = false;

function showTrouble(text) {
  document.getElementById("trouble").textContent = text;
}

async function send(form, button) {
  if (busy) return;
  busy = true;
  document.body.classList.add("busy");
  showTrouble(""); // so that the same trouble is read aloud again
  try {
    const body = new URLSearchParams(new FormData(form, button));
    const answer = await fetch(form.getAttribute("action"), { method: "POST", body, redirect: "manual" });
    if (answer.type === "opaqueredirect") {
      location.replace("/");
      return;
    }
    showTrouble((await answer.text()).slice(0, 300));
  } catch {
    showTrouble("Not saved: the server does not respond. When it is running again, press the key again.");
  }
  busy = false;
  document.body.classList.remove("busy");
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  send(event.target, event.submitter);
});

document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.toUpperCase();
  const button = [...document.querySelectorAll("button")].find((each) => each.getAttribute("aria-keyshortcuts") === key);
  if (button && !button.disabled) {
    event.preventDefault();
    button.click();
  }
});
