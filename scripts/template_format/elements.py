"""Elements and classes, by what a browser does with the white space in and beside them."""

# Template tags that close with a tag of their own, and those that stand between the two.
PAIRS = {
    "if": "endif", "for": "endfor", "with": "endwith", "block": "endblock",
    "ifchanged": "endifchanged", "partialdef": "endpartialdef", "spaceless": "endspaceless",
    "autoescape": "endautoescape", "filter": "endfilter", "language": "endlanguage",
    "cache": "endcache",
}  # fmt: skip
BRANCHES = {"elif", "else", "empty"}
# Blocks that stand inside a tag, as its attributes.
ATTRIBUTE_BLOCKS = {"main_attrs", "body_attrs", "html_attrs", "body_class"}
VOID = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
}  # fmt: skip
# White space beside them is dropped, and at their inner edges.
BLOCK = {
    "address", "article", "aside", "base", "blockquote", "body", "caption", "center", "col",
    "colgroup", "dd", "details", "dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html",
    "legend", "li", "link", "main", "menu", "meta", "nav", "noscript", "ol", "optgroup", "option",
    "p", "script", "search", "section", "style", "summary", "table", "tbody", "td", "template",
    "tfoot", "th", "thead", "title", "tr", "ul",
}  # fmt: skip
# White space at their inner edges is dropped.
INNER_FREE = BLOCK | {"button", "select", "datalist"}
# Their white space is shown: by the browser, or by `white-space: pre-wrap` in static/css.
VERBATIM = {"pre", "textarea", "script", "style"}
KEPT_IN_CARDS = {"blockquote", "dd"}
KEPT_CLASSES = {"edit-signs", "reading-text", "source", "target-text", "text-marks"}
# Classes that static/css lays out as flex or grid at every width.
FLEX = {
    "active-filters", "alert", "aside-tab", "badge", "banner", "bar", "bar-status", "bar-tools",
    "bench", "brand", "btn", "card", "cards", "centre", "check", "chips", "choices", "decision",
    "drop", "empty", "facts", "field", "field-error", "field-picks", "filters", "finding",
    "findings", "form", "form-actions", "funnel", "icon-btn", "job", "judge", "keymap", "legend",
    "menu-sheet", "messages", "options", "page", "page-actions", "page-header", "pagination",
    "pair", "progress", "row", "rows", "rubric", "saved", "scale", "secret", "send", "stack",
    "stat", "stat-line", "tabs", "three", "toast", "toasts", "token", "two", "why", "with-side",
}  # fmt: skip
