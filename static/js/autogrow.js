// Text areas as high as their text, where the browser cannot do it by itself (field-sizing), and read from the
// side from which their text runs.
const CAN_SIZE = CSS.supports("field-sizing", "content");
const FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

export function grow(area) {
  if (area.dir) area.dir = directionOf(area.value);
  if (CAN_SIZE || !area.offsetParent) return;
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight + 2}px`;
}

/** In a language that runs from right to left, a number or formula alone is read from the left (see markup.py). */
export function directionOf(text) {
  return FROM_RIGHT.test(text) || !text.trim() ? "rtl" : "ltr";
}
