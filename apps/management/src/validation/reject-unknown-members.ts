import { type CanActivate, type ExecutionContext, SetMetadata, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type FieldProblems, invalidFields } from '../errors/management-error.js';

const ONLY_KNOWN = Symbol('only known members');
/** Maximum number of unknown members that an answer names. */
const MAX_NAMED_MEMBERS = 20;

/**
 * Refuses members without rules in a DTO of a bulk call. Elsewhere unknown members are ignored; in a bulk call one may
 * be a filter of another API, and ignoring it would change more objects than intended.
 */
export const RejectUnknownMembers = (): ClassDecorator => SetMetadata(ONLY_KNOWN, true);

/** Refuses any body member of a bulk call that takes no body. */
export const WithoutBody = (): MethodDecorator => UseGuards(BODY_GUARD);

const BODY_GUARD: CanActivate = {
  canActivate: (context: ExecutionContext) => {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    const problems = unknownMembers(Object(body), new Set());
    if (Object.keys(problems).length > 0) throw invalidFields(problems);
    return true;
  },
};

export const rejectsUnknownMembers = (dto: object): boolean => Reflect.getMetadata(ONLY_KNOWN, dto) === true;

/** The problems with unknown members, for DTOs that refuse them. */
export const unknownProblems = (value: object, dto: object, known: ReadonlySet<string>): FieldProblems =>
  rejectsUnknownMembers(dto) ? unknownMembers(value, known) : {};

function unknownMembers(value: object, known: ReadonlySet<string>): FieldProblems {
  const problem = `Unknown field. This call takes ${known.size > 0 ? [...known].sort().join(', ') : 'none in its body'}`;
  const unknown = Object.keys(value).filter((name) => !known.has(name));
  return Object.fromEntries(unknown.slice(0, MAX_NAMED_MEMBERS).map((name) => [name, problem]));
}
