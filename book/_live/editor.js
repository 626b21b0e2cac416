/* The editor: CodeMirror, as much of it as an exercise needs. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentWithTab,
} from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import {
  bracketMatching,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

/* The line that Python complains about, until the code changes. */
const markLine = StateEffect.define();
const marked = StateField.define({
  create: () => Decoration.none,
  update(marks, change) {
    for (const effect of change.effects) {
      if (!effect.is(markLine)) continue;
      const { doc } = change.state;
      if (!effect.value || effect.value > doc.lines) return Decoration.none;
      const { from } = doc.line(effect.value);
      return Decoration.set(Decoration.line({ class: "py-marked" }).range(from));
    }
    return change.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/* Names that Python knows by now, besides those of the language. */
const source = (complete) => async (context) => {
  const word = context.matchBefore(/[\w.]*/);
  if (!context.explicit && (!word || word.from === word.to)) return null;
  const names = await complete(word.text);
  const start = word.text.lastIndexOf(".") + 1;
  const from = word.from + start;
  const options = names
    .filter((name) => name !== word.text.slice(start))
    .map((label) => ({ label, type: "variable" }));
  return options.length ? { from, options, validFor: /^\w*$/ } : null;
};

export function makeEditor({
  parent,
  code,
  label,
  phrases,
  run,
  changed,
  complete,
}) {
  const running = () => {
    run();
    return true;
  };
  const keys = [
    { key: "Ctrl-Enter", mac: "Cmd-Enter", run: running },
    { key: "Ctrl-Enter", run: running },
    { key: "Shift-Enter", run: running },
  ];
  // "/", which leads to the search elsewhere, is a sign of Python here.
  parent.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
  });
  const view = new EditorView({
    doc: code,
    parent,
    extensions: [
      Prec.highest(keymap.of(keys)),
      lineNumbers(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      python(),
      indentUnit.of("    "),
      EditorState.tabSize.of(4),
      EditorState.phrases.of(phrases),
      syntaxHighlighting(classHighlighter),
      marked,
      python().language.data.of({ autocomplete: source(complete) }),
      autocompletion({ activateOnTyping: true, icons: false }),
      keymap.of([
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...defaultKeymap,
        ...historyKeymap,
        indentWithTab,
      ]),
      EditorView.contentAttributes.of({
        "aria-label": label,
        autocapitalize: "off",
        autocorrect: "off",
        spellcheck: "false",
        tabindex: "0", // long lines scroll: the region must be in reach
        translate: "no",
      }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) changed(update.state.doc.toString());
      }),
    ],
  });
  return {
    get code() {
      return view.state.doc.toString();
    },
    set code(text) {
      const { length } = view.state.doc;
      view.dispatch({ changes: { from: 0, insert: text, to: length } });
    },
    focus: () => view.focus(),
    mark: (line) => view.dispatch({ effects: markLine.of(line) }),
    /* Put the cursor where the reader clicked. */
    place(x, y) {
      const at = view.posAtCoords({ x, y }, false);
      view.dispatch({ selection: { anchor: at } });
      view.focus();
    },
    remove() {
      view.destroy();
    },
  };
}
