import type { RefObject } from 'react';
import { Notice } from '../feedback/notice';
import { ConflictNotice } from './conflict-notice';
import { otherProblems } from './field-errors';
import type { Save } from './use-save';

interface Props {
  save: Save;
  /** The names of the fields, which show their errors themselves. */
  own: readonly string[];
  form: RefObject<HTMLFormElement | null>;
}

/** What is wrong with a form as a whole: somebody else has saved the object meanwhile, or fields that it does not have are refused. */
export function FormProblems({ save: { conflict, overwrite, isPending, problems }, own, form }: Props) {
  const others = otherProblems(problems, own);
  return (
    <>
      {conflict && (
        <ConflictNotice
          changed={conflict}
          labelOf={(name) => labelOf(form.current, name)}
          onOverwrite={overwrite}
          isBusy={isPending}
        />
      )}
      {others.length > 0 && (
        <Notice tone="bad" isAlert>
          {others.map((line) => (
            <div key={line}>{line}</div>
          ))}
        </Notice>
      )}
    </>
  );
}

/** The words beside a field of a form. */
function labelOf(form: HTMLFormElement | null, name: string): string | undefined {
  const field = form?.querySelector<HTMLInputElement>(`[data-path="${CSS.escape(name)}"]`);
  return field?.labels?.[0]?.textContent?.replace(/ \*$/, '');
}
