// Text areas as high as their text, where the browser cannot do it by itself (field-sizing).
const CAN_SIZE = CSS.supports("field-sizing", "content");

export function grow(area) {
  if (CAN_SIZE || !area.offsetParent) return;
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight + 2}px`;
}
