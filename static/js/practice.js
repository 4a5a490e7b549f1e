// A practice item, judged with the keys of the workbench. Without this script the page works too.
import { judgeOneItem } from "./one-item.js";

const form = document.getElementById("practice");

judgeOneItem(form, { isLocked: () => false, keep: () => {}, submit: () => form.submit() });
