import { useSyncExternalStore } from 'react';

export interface Question {
  title: string;
  text: string;
  /** The word on the button that does it. */
  action: string;
  isDangerous?: boolean;
  onConfirm: () => void;
}

let asked: Question | undefined;
const listeners = new Set<() => void>();

function ask(question: Question | undefined): void {
  asked = question;
  for (const listener of listeners) listener();
}

/** Asks before something that cannot be undone. */
export function confirm(question: Question): void {
  ask(question);
}

/** The question that waits for its answer. */
export const openQuestion = {
  get: (): Question | undefined => asked,
  close: (): void => ask(undefined),
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** The question that waits for its answer, in a component. */
export const useOpenQuestion = (): Question | undefined =>
  useSyncExternalStore(openQuestion.subscribe, openQuestion.get);
