import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { type FieldProblems, invalidFields } from '../../errors/management-error.js';
import { inexactNumber } from '../json-guard.js';
import { REQUIRED } from '../messages.js';
import { unknownProblems } from '../reject-unknown-members.js';

/**
 * Converts a body or query to its DTO. Unknown members are dropped, and all problems are reported at once, one per
 * field.
 */
@Injectable()
export class RequestPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || !isDto(metatype)) return value;
    const read = readDto(value === undefined ? {} : value, metatype);
    if ('problems' in read) throw invalidFields(read.problems);
    // A missing body is refused even when no member is required; otherwise a lost body would pass for a change of
    // nothing.
    if (type === 'body' && value === undefined) throw invalidFields({ body: REQUIRED.message });
    return read.dto;
  }
}

/** Converts a value to a DTO, or returns what is wrong with it. `parent` is the path of the value in the body. */
export function readDto<T extends object>(
  value: unknown,
  type: ClassConstructor<T>,
  parent?: string,
): { dto: T } | { problems: FieldProblems } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problems: { [parent ?? 'body']: 'Input should be an object' } };
  }
  const prefix = parent === undefined ? '' : `${parent}.`;
  // Unknown members and lists that are too long are left out, because converting a million values would block the process.
  const { names, lists } = rulesOf(type);
  const refused = tooLong(value, lists);
  const converted = Object.entries(value).filter(([name]) => names.has(name) && !refused.has(name));
  const dto = plainToInstance(type, Object.fromEntries(converted));
  const errors = validateSync(dto, { whitelist: true, stopAtFirstError: true });
  const found = {
    ...unknownProblems(value, type, names),
    ...Object.fromEntries(errors.flatMap((error) => problems(error, prefix))),
    ...Object.fromEntries([...refused].map(([name, problem]) => [prefix + name, problem])),
  };
  if (Object.keys(found).length > 0) return { problems: found };
  const inexact = inexactNumber(dto);
  return inexact ? { problems: { [prefix + inexact.path]: inexact.problem } } : { dto };
}

/** What is known of the members of a DTO before any is converted. */
interface MemberRules {
  /** The members that have rules. */
  readonly names: ReadonlySet<string>;
  /** Those whose lists have a maximum length. */
  readonly lists: readonly { readonly name: string; readonly most: number; readonly problem: string }[];
}

const RULES = new WeakMap<ClassConstructor<object>, MemberRules>();

function rulesOf(dto: ClassConstructor<object>): MemberRules {
  const known = RULES.get(dto);
  if (known) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const lists = rules
    .filter(({ name }) => name === 'arrayMaxSize')
    .map(({ propertyName, constraints, message }) => ({
      name: propertyName,
      most: Number(constraints[0]),
      problem: String(message),
    }));
  const found = { names: new Set(rules.map(({ propertyName }) => propertyName)), lists };
  RULES.set(dto, found);
  return found;
}

/** The members of a value whose lists are too long, with what is wrong with them. */
const tooLong = (value: object, lists: MemberRules['lists']): Map<string, string> =>
  new Map(
    lists.flatMap(({ name, most, problem }) => {
      const list: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
      return Array.isArray(list) && list.length > most ? [[name, problem]] : [];
    }),
  );

/** Whether the parameter type is a DTO: interfaces and plain types appear as Object, and lists have their own pipe. */
function isDto(metatype: ArgumentMetadata['metatype']): metatype is ClassConstructor<object> {
  return typeof metatype === 'function' && metatype !== Object && metatype !== String && metatype !== Array;
}

function problems({ property, constraints, children }: ValidationError, parent = ''): [string, string][] {
  const path = `${parent}${property}`;
  const own = Object.values(constraints ?? {}).map((text): [string, string] => [path, text]);
  return [...own, ...(children ?? []).flatMap((child) => problems(child, `${path}.`))];
}
