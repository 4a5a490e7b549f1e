// Words for people: they come translated from the page, scripts hold none of their own.
export function text(name, values = {}) {
  return fill(document.getElementById("texts")?.dataset[name] ?? "", values);
}

export function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
}

export function clock(date = new Date()) {
  return new Intl.DateTimeFormat(document.documentElement.lang, {
    hour: "2-digit", minute: "2-digit", hour12: false,
  }).format(date);
}
