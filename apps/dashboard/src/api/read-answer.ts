import { ApiError } from './api-error';
import { ANSWERS, TYPES } from './gen/answers';

/**
 * What a value of an answer looks like: kinds and names of types (`string|null`), `[shape]` for a list, `['|', ...]` for one of several
 * shapes, and an object, whose members end in `?` where they may be missing; `*` is every other member.
 */
export type Shape = string | readonly Shape[] | { readonly [member: string]: Shape };

/** Forms send these back as a whole: nothing in them may stand in for what was not understood. */
const EXACT = new Set(['/api/settings', '/api/settings/probes', '/api/host/{host_id}', '/api/core/{core_id}']);
/** What stands in for a value that is missing or of another kind; no number prints as the same dash. */
const UNKNOWN: Readonly<Record<string, unknown>> = { string: '—', number: Number.NaN, boolean: false, null: null };
/** No name is as long, and browsers need minutes to draw a million letters: what is longer is cut. */
const MAX_NAME_LENGTH = 4_000;
/** The API takes no longer text from a form. */
const MAX_FIELD_LENGTH = 20_000;
/** What a client gets is shown as it is. */
const UNCUT = '/api/user/{username}/preview';
/** Members by which objects are told apart. */
const KEYS = ['id', 'username'];

/**
 * The one place where the pages learn what an answer contains: afterwards every value is of the kind that the types promise. Values of
 * another kind become unknown ones, so that the rest can be shown; an answer of which the frame is another one is refused, so that what
 * was known before stays.
 */
export function readAnswer(path: string, answer: unknown): unknown {
  const shape = ANSWERS[path];
  return shape === undefined ? answer : new Reader(EXACT.has(path), path === UNCUT).read(answer, shape, '', false);
}

class Reader {
  constructor(
    private readonly isExact: boolean,
    private readonly isUncut: boolean,
  ) {}

  read(value: unknown, shape: Shape, place: string, isInRow: boolean): unknown {
    const choices = choicesOf(shape);
    const fitting = choices.find((choice) => fits(value, choice));
    if (fitting === 'string') return this.text(value as string, place);
    if (fitting !== undefined) return this.contents(value, fitting, place, isInRow);
    if (value === undefined && choices.includes('null')) return null;
    const [first = 'any'] = choices;
    if (typeof first !== 'string' ? this.isExact || !isInRow : this.isExact) throw strange(place);
    return this.contents(undefined, first, place, isInRow);
  }

  private text(value: string, place: string): string {
    if (this.isExact && value.length > MAX_FIELD_LENGTH) throw strange(place);
    return this.isExact || this.isUncut || value.length <= MAX_NAME_LENGTH
      ? value
      : `${value.slice(0, MAX_NAME_LENGTH)}…`;
  }

  /** `value` is undefined or fits the shape. */
  private contents(value: unknown, shape: Shape, place: string, isInRow: boolean): unknown {
    if (typeof shape === 'string') return value === undefined ? UNKNOWN[shape] : value;
    if (isList(shape)) return this.list((value ?? []) as unknown[], shape[0] ?? 'any', place);
    return this.object((value ?? {}) as Readonly<Record<string, unknown>>, shape, place, isInRow);
  }

  private list(values: readonly unknown[], shape: Shape, place: string): unknown[] {
    const choices = choicesOf(shape);
    // An unknown kind in a list of names or numbers says nothing, and a dash would be one of them.
    const isPlain = !this.isExact && choices.every((choice) => typeof choice === 'string');
    const known = isPlain ? values.filter((value) => choices.some((choice) => fits(value, choice))) : values;
    const list = known.map((value, at) => this.read(value, shape, `${place}[${at}]`, true));
    for (const key of KEYS) {
      if (!values.some((one) => isObject(one) && key in one)) continue;
      // Nothing can be done with an object that cannot be told from another one.
      if (new Set(list.map((one) => Object(one)[key])).size < list.length) throw strange(`${place}[].${key}`);
    }
    return list;
  }

  private object(
    value: Readonly<Record<string, unknown>>,
    shape: Readonly<Record<string, Shape>>,
    place: string,
    isInRow: boolean,
  ): Record<string, unknown> {
    const { '*': other, ...members } = shape;
    // Members that this version does not know are kept: what is sent back has them too.
    const read = { ...value };
    for (const [member, kind] of Object.entries(members)) {
      const name = member.replace('?', '');
      if (name !== member && (value[name] === undefined || value[name] === null)) continue;
      read[name] = this.read(value[name], kind, place ? `${place}.${name}` : name, isInRow);
    }
    if (other !== undefined)
      for (const [name, one] of Object.entries(value)) read[name] = this.read(one, other, `${place}.${name}`, isInRow);
    return read;
  }
}

const strange = (place: string) => new ApiError(0, 'STRANGE_ANSWER', place || '—');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isList = (shape: Shape): shape is readonly Shape[] => Array.isArray(shape);

/** The shapes that a value may have: kinds, lists and objects, without names of types. */
function choicesOf(shape: Shape): readonly Shape[] {
  if (isList(shape)) return shape[0] === '|' ? shape.slice(1).flatMap(choicesOf) : [shape];
  if (typeof shape !== 'string') return [shape];
  return shape.split('|').flatMap((name) => (TYPES[name] === undefined ? [name] : choicesOf(TYPES[name])));
}

function fits(value: unknown, choice: Shape): boolean {
  if (typeof choice !== 'string') return isList(choice) ? Array.isArray(value) : isObject(value);
  if (choice === 'any') return true;
  return choice === 'null' ? value === null : typeof value === choice;
}
