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
  // Unknown members are dropped first, because converting a million of them would block the process.
  const names = namesOf(type);
  const dto = plainToInstance(type, Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name))));
  const errors = validateSync(dto, { whitelist: true, stopAtFirstError: true });
  const found = {
    ...unknownProblems(value, type, names),
    ...Object.fromEntries(errors.flatMap((error) => problems(error, prefix))),
  };
  if (Object.keys(found).length > 0) return { problems: found };
  const inexact = inexactNumber(dto);
  return inexact ? { problems: { [prefix + inexact.path]: inexact.problem } } : { dto };
}

/** The members of each DTO that have rules. */
const NAMES = new WeakMap<ClassConstructor<object>, ReadonlySet<string>>();

function namesOf(dto: ClassConstructor<object>): ReadonlySet<string> {
  const known = NAMES.get(dto);
  if (known) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const names = new Set(rules.map(({ propertyName }) => propertyName));
  NAMES.set(dto, names);
  return names;
}

/** Whether the parameter type is a DTO: interfaces and plain types appear as Object, and lists have their own pipe. */
function isDto(metatype: ArgumentMetadata['metatype']): metatype is ClassConstructor<object> {
  return typeof metatype === 'function' && metatype !== Object && metatype !== String && metatype !== Array;
}

function problems({ property, constraints, children }: ValidationError, parent = ''): [string, string][] {
  const path = `${parent}${property}`;
  const own = Object.values(constraints ?? {}).map((text): [string, string] => [path, text]);
  return [...own, ...(children ?? []).flatMap((child) => problems(child, `${path}.`))];
}
