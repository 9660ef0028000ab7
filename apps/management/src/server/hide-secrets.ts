import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { mergeMap, type Observable } from 'rxjs';
import { seesNoSecrets } from '../access/actor.js';
import { masked, maskedInTurns } from '../audit/mask.js';
import { showEntries } from '../http/json-list.js';

/**
 * Masks secrets in the answers to API tokens that may not read them, by the names and forms by which the audit log knows them.
 * It looks at what every route returns, so that none can forget to.
 */
export class SecretHiding implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { actor, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    const isHidden = actor && seesNoSecrets(actor) && !routeOptions.config.isSameEverywhere;
    return isHidden ? next.handle().pipe(mergeMap(shown)) : next.handle();
  }
}

/** The name of a list, such as `tokens`, does not make its entries secrets. */
async function shown(answer: unknown): Promise<unknown> {
  if (typeof answer !== 'object' || answer === null || showEntries(answer, shownEntry) || isStream(answer))
    return answer;
  const plain = asJson(answer);
  if (Array.isArray(plain)) return maskedInTurns(plain);
  const lists = new Map<string, unknown>();
  for (const [name, value] of Object.entries(plain)) {
    if (Array.isArray(value) && value.every(isObject)) lists.set(name, await maskedInTurns(value));
  }
  const [whole] = await maskedInTurns([
    { ...plain, ...Object.fromEntries([...lists.keys()].map((name) => [name, []])) },
  ]);
  return { ...Object(whole), ...Object.fromEntries(lists) };
}

const shownEntry = (entry: unknown): unknown => masked(asJson(entry));

/** As JSON has it: dates are texts. */
const asJson = (value: unknown): object => JSON.parse(JSON.stringify(value));

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Streams of other things than lists, such as events, have no members; `@TellsSecrets` refuses those with secrets. */
const isStream = (value: object): boolean => typeof Reflect.get(value, 'pipe') === 'function';
