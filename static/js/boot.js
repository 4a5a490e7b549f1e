// Runs before the first paint: the chosen theme and look of texts, the mark that scripts work, and the keys that are
// pressed before the scripts of the page listen: kept for keyboard.js.
(function () {
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const theme = localStorage.getItem("lotsawa.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    const text = JSON.parse(localStorage.getItem("lotsawa.text"));
    if (text) root.dataset.textSize = text.size;
    for (const name of text?.on ?? []) root.setAttribute(`data-${name}`, "");
  } catch {
    // Storage is off or holds something else: all stays as it is.
  }
  const pressed = [];
  const keep = (event) => pressed.push(event);
  const take = () => {
    document.removeEventListener("keydown", keep);
    return pressed.splice(0);
  };
  document.addEventListener("keydown", keep);
  window.addEventListener("load", take); // this page has no keys
  globalThis.lotsawaEarlyKeys = { take };
})();
