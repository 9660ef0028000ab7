import { ApiError } from '../../api/api-error';
import { wordsOf } from '../i18n/words';

/**
 * What the API says about single fields, by the paths that a form has for them: without the name of the section that it edits, and with
 * dots alone, such as `rules.0.pattern`.
 */
export function fieldProblems(error: unknown, section = ''): Record<string, string> {
  const prefix = section && `${section}.`;
  return Object.fromEntries(
    Object.entries(ApiError.from(error).fields).map(([path, text]) => {
      const plain = path.replace(/\[(\w+)\]/g, '.$1');
      return [plain.startsWith(prefix) ? plain.slice(prefix.length) : plain, text];
    }),
  );
}

/** Rethrows an error with one of these codes as one about a field, so that it stands there, and any other one as it is. */
export const aboutField =
  (field: string, ...codes: string[]) =>
  (error: unknown): never => {
    const { status, code, message } = ApiError.from(error);
    if (!codes.includes(code)) throw error;
    throw new ApiError(status, code, message, { [field]: wordsOf(`errors.${code}`) ?? message });
  };

const rootOf = (path: string): string => path.split('.', 1)[0] ?? path;

/** Shows what the API says about fields at these fields of a form; what is wrong inside of a list stands at the list too. */
export function showFieldErrors(
  form: { setErrors: (errors: Record<string, string>) => void },
  problems: Readonly<Record<string, string>>,
): void {
  const entries = Object.entries(problems);
  form.setErrors(
    Object.fromEntries(
      entries.flatMap(([path, text]) => [
        [rootOf(path), text],
        [path, text],
      ]),
    ),
  );
}

/** The sentences about fields that a form does not have. */
export const otherProblems = (problems: Readonly<Record<string, string>>, own: readonly string[]): string[] =>
  Object.entries(problems)
    .filter(([path]) => !own.includes(rootOf(path)))
    .map(([path, text]) => `${path}: ${text}`);
