import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { type FieldProblems, invalidFields } from '../../errors/management-error.js';
import { inexactNumber } from '../json-guard.js';
import { REQUIRED } from '../messages.js';
import { unknownProblems } from '../reject-unknown-members.js';

/** Turns a body or query into its DTO: unknown members are dropped, all problems are told at once, one per field. */
@Injectable()
export class RequestPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || !isDto(metatype)) return value;
    const read = readDto(value === undefined ? {} : value, metatype);
    if ('problems' in read) throw invalidFields(read.problems);
    // Nothing is required: a body that got lost would be taken for one that changes nothing.
    if (type === 'body' && value === undefined) throw invalidFields({ body: REQUIRED.message });
    return read.dto;
  }
}

/** A value as the DTO that it should be, or what is wrong with it. `parent` is its place in the body. */
export function readDto<T extends object>(
  value: unknown,
  type: ClassConstructor<T>,
  parent?: string,
): { dto: T } | { problems: FieldProblems } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problems: { [parent ?? 'body']: 'Input should be an object' } };
  }
  const prefix = parent === undefined ? '' : `${parent}.`;
  // Other members go before anything walks them: a million would hold the process.
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

/** By DTO: the members that it has rules for. */
const NAMES = new WeakMap<ClassConstructor<object>, ReadonlySet<string>>();

function namesOf(dto: ClassConstructor<object>): ReadonlySet<string> {
  const known = NAMES.get(dto);
  if (known) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const names = new Set(rules.map(({ propertyName }) => propertyName));
  NAMES.set(dto, names);
  return names;
}

/** Interfaces and plain types arrive as Object; a list has a pipe of its own. */
function isDto(metatype: ArgumentMetadata['metatype']): metatype is ClassConstructor<object> {
  return typeof metatype === 'function' && metatype !== Object && metatype !== String && metatype !== Array;
}

function problems({ property, constraints, children }: ValidationError, parent = ''): [string, string][] {
  const path = `${parent}${property}`;
  const own = Object.values(constraints ?? {}).map((text): [string, string] => [path, text]);
  return [...own, ...(children ?? []).flatMap((child) => problems(child, `${path}.`))];
}
