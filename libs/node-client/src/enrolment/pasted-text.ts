import { createHash } from 'node:crypto';
import { NodeClientError } from '../errors/node-client-error.js';

const CHECKSUM_BYTES = 6;
const CHECKSUM_LENGTH = (CHECKSUM_BYTES * 4) / 3;

/** A kind of text that people copy from one machine to another: `<marker>-<version>.<content>.<checksum>`. */
export interface PastedKind {
  /** The beginning of the text, without the version. */
  readonly marker: string;
  readonly version: number;
  /** What the text is, for errors: "an enrolment". */
  readonly what: string;
  /** Where the text comes from, for errors: "Paste the whole value that …". */
  readonly advice: string;
}

/** Writes a JSON value in letters, digits, `-`, `_` and `.` alone, which no shell and no .env file changes. */
export function writePastedText({ marker, version }: PastedKind, content: object): string {
  const body = `${marker}-${version}.${Buffer.from(JSON.stringify(content)).toString('base64url')}`;
  return `${body}.${checksumOf(body)}`;
}

/**
 * Reads what {@link writePastedText} has written. White space, quotes and a name with `=` before the text are ignored.
 *
 * @param others kinds that may be pasted here by mistake, which the error then names.
 * @throws NodeClientError `INVALID_ARGUMENT`, which says what is wrong and what to do; it contains nothing of the text.
 */
export function readPastedText(kind: PastedKind, pasted: string, others: readonly PastedKind[] = []): unknown {
  const text = pasted.replace(/[\s"']/g, '').replace(/^[A-Z_]+=/, '');
  const other = others.find(({ marker }) => text.startsWith(`${marker}-`));
  if (other) throw refused(`is ${other.what}, not ${kind.what}. ${kind.advice}`);
  const [, version, content, checksum = '', rest] =
    new RegExp(`^${kind.marker}-(\\d+)(?:\\.([\\w-]*))?(?:\\.([\\w-]*))?(.*)$`).exec(text) ?? [];
  if (version === undefined) throw refused(`is not ${kind.what}, because it begins otherwise. ${kind.advice}`);
  if (Number(version) > kind.version) {
    throw refused(`is ${kind.what} of form ${version}, and this version knows form ${kind.version}: update it`);
  }
  if (content === undefined || (rest === '' && checksum.length < CHECKSUM_LENGTH)) {
    throw refused(`is cut off after ${text.length} characters. ${kind.advice}`);
  }
  if (rest !== '' || checksum !== checksumOf(`${kind.marker}-${version}.${content}`)) {
    throw refused(`was changed on its way: its checksum is wrong. ${kind.advice}`);
  }
  return parsed(Buffer.from(content, 'base64url').toString());
}

/** The value of a JSON text; undefined for any other text, which only others than {@link writePastedText} write. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const checksumOf = (body: string): string =>
  createHash('sha256').update(body).digest().subarray(0, CHECKSUM_BYTES).toString('base64url');

export const refused = (problem: string): NodeClientError => new NodeClientError('INVALID_ARGUMENT', problem);
