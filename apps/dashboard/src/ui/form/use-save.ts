import type { UseFormReturnType } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/api-error';
import { fieldProblems, showFieldErrors } from './field-errors';

interface Options<Values extends object, Stored, Saved> {
  form: UseFormReturnType<Values>;
  /** The object as it was when the form was opened; undefined: a new one. */
  before?: Stored | undefined;
  /** What the form shows of an object; needed where there is one before. */
  valuesOf?: (stored: Stored) => Values;
  /**
   * Sends the values. `header` makes the change only where nobody else has changed the object since it was `stored`, which is `before`
   * or, after a conflict, what there is now.
   */
  send: (values: Values, header: { 'if-match'?: string }, stored: Stored | undefined) => Promise<Saved>;
  /** The member of the object that the form edits, where it is not the whole object. */
  section?: string;
  /** The names of the queries that show the object. */
  shownBy: readonly string[];
  onSaved: (saved: Saved) => unknown;
}

/**
 * Saves what a form holds. Errors of fields stand at the fields. Where somebody else has changed the object meanwhile, nothing is sent
 * over it: `conflict` says what there is now, and `overwrite` saves these values all the same.
 */
export function useSave<Values extends object, Saved, Stored extends { version: string } = { version: string }>({
  form,
  before,
  valuesOf,
  send,
  section,
  shownBy,
  onSaved,
}: Options<Values, Stored, Saved>) {
  const client = useQueryClient();
  const [base, setBase] = useState(before);
  const refresh = () => Promise.all(shownBy.map((name) => client.invalidateQueries({ queryKey: [name] })));
  const save = useMutation({
    meta: { showsFields: true, showsConflict: true },
    mutationFn: ({ values, stored }: { values: Values; stored: Stored | undefined }) =>
      send(values, stored ? { 'if-match': stored.version } : {}, stored),
    onError: (error) => {
      showFieldErrors(form, fieldProblems(error, section));
      if (ApiError.from(error).status === 412) void refresh();
    },
    onSuccess: async (saved) => {
      // What is saved is no draft any more.
      form.resetDirty();
      await onSaved(saved);
      await refresh();
    },
  });
  const current = save.error ? (ApiError.from(save.error).current as Stored | undefined) : undefined;
  return {
    isPending: save.isPending,
    /** What the API says about fields, by the paths of the form. */
    problems: save.error ? fieldProblems(save.error, section) : {},
    submit: form.onSubmit((values) => save.mutate({ values, stored: base })),
    /** What somebody else has changed of what the form shows since it was opened, by the names of its fields. */
    conflict: current && before && (valuesOf ? changedMembers(valuesOf(before), valuesOf(current)) : {}),
    overwrite: () => {
      setBase(current);
      save.mutate({ values: form.getValues(), stored: current });
    },
  };
}

export interface Save extends Pick<ReturnType<typeof useSave>, 'isPending' | 'problems' | 'submit' | 'overwrite'> {
  conflict: object | undefined;
}

/** The members of an object that differ from what they were. */
export function changedMembers<T extends object>(before: object, now: T): Partial<T> {
  const was = new Map(Object.entries(before));
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(was.get(name)) !== JSON.stringify(value),
  );
  return Object.fromEntries(changed) as Partial<T>;
}
