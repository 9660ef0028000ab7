import { type CanActivate, type ExecutionContext, SetMetadata, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type FieldProblems, invalidFields } from '../errors/management-error.js';

const ONLY_KNOWN = Symbol('only known members');
/** So many are named in an answer. */
const MOST_NAMED = 20;

/**
 * For the DTO of a call that reaches many: a member without rules is refused. Elsewhere such members are ignored; here it may
 * be a selector of another API, and ignoring it would widen whom the call reaches.
 */
export const RejectUnknownMembers = (): ClassDecorator => SetMetadata(ONLY_KNOWN, true);

/** The same for a call that reaches many and takes no body. */
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

/** What is wrong with the names of the members, where the DTO takes no others than it knows. */
export const unknownProblems = (value: object, dto: object, known: ReadonlySet<string>): FieldProblems =>
  rejectsUnknownMembers(dto) ? unknownMembers(value, known) : {};

function unknownMembers(value: object, known: ReadonlySet<string>): FieldProblems {
  const problem = `Unknown field. This call takes ${known.size > 0 ? [...known].sort().join(', ') : 'none in its body'}`;
  const unknown = Object.keys(value).filter((name) => !known.has(name));
  return Object.fromEntries(unknown.slice(0, MOST_NAMED).map((name) => [name, problem]));
}
