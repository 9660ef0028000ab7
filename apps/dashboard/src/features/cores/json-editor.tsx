import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { json } from '@codemirror/lang-json';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { useComputedColorScheme } from '@mantine/core';
import { basicSetup, EditorView } from 'codemirror';
import { type RefObject, useEffect, useRef } from 'react';
import { nonce } from '../../ui/nonce';
import classes from './json-editor.module.css';

interface Props {
  text: string;
  onChange: (text: string) => void;
  diagnostics: readonly Diagnostic[];
  label: string;
  /** Where the editor puts what others may do with its text. */
  handle: RefObject<EditorHandle | undefined>;
}

export interface EditorHandle {
  text: () => string;
  cursor: () => number;
  /** Replaces the text; the user can take it back. */
  replace: (text: string) => void;
}

/** An editor for JSON that shows what the server says at its lines. */
export default function JsonEditor({ text, onChange, diagnostics, label, handle }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(onChange);
  latest.current = onChange;
  const first = useRef(text);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    if (!frame.current) return;
    const editor = new EditorView({
      doc: view.current?.state.doc ?? first.current,
      parent: frame.current,
      extensions: [
        basicSetup,
        json(),
        lintGutter(),
        autocompletion({ override: [proposals] }),
        EditorView.cspNonce.of(nonce),
        EditorView.theme({}, { dark: scheme === 'dark' }),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current(update.state.doc.toString());
        }),
      ],
    });
    view.current = editor;
    handle.current = {
      text: () => editor.state.doc.toString(),
      cursor: () => editor.state.selection.main.head,
      replace: (next) => editor.dispatch({ changes: changeBetween(editor.state.doc.toString(), next) }),
    };
    return () => editor.destroy();
  }, [scheme, label, handle]);
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const end = editor.state.doc.length;
    const inside = diagnostics.map((one) => ({ ...one, from: Math.min(one.from, end), to: Math.min(one.to, end) }));
    editor.dispatch(setDiagnostics(editor.state, inside));
  }, [diagnostics]);
  return <div ref={frame} className={classes.editor} dir="ltr" />;
}

/** The part in which two texts differ, so that the cursor stays where it is. */
function changeBetween(before: string, after: string): { from: number; to: number; insert: string } {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < most - from && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

/** Proposes keys and values of the engine: while a word is typed, and when they are asked for. */
async function proposals({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> {
  const loaded = await import('./completions').catch(() => undefined);
  if (!loaded) return null;
  const { from, proposals: found } = loaded.completionsAt(state.doc.toString(), pos);
  if (found.length === 0 || (from === pos && !explicit)) return null;
  return { from, options: found.map(({ label, insert }) => ({ label: insert, displayLabel: label })) };
}
