import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { seesNoSecrets } from '../access/actor.js';
import { masked } from '../audit/mask.js';
import { showEntries } from '../http/json-list.js';

/**
 * Masks secrets in the answers to API tokens that may not read them, by the names and forms by which the audit log knows them.
 * It looks at what every route returns, so that none can forget to.
 */
export class SecretHiding implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { actor, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    const isHidden = actor && seesNoSecrets(actor) && !routeOptions.config.isSameEverywhere;
    return isHidden ? next.handle().pipe(map(shown)) : next.handle();
  }
}

/** The name of a list, such as `tokens`, does not make its entries secrets. */
function shown(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || showEntries(answer, shownEntry) || isStream(answer))
    return answer;
  if (Array.isArray(answer)) return answer.map(shownEntry);
  const plain: object = JSON.parse(JSON.stringify(answer));
  const whole = Object(shownEntry(plain));
  const lists = Object.entries(plain).filter(([, value]) => Array.isArray(value) && value.every(isObject));
  return { ...whole, ...Object.fromEntries(lists.map(([name, value]) => [name, value.map(shownEntry)])) };
}

/** As JSON has it: dates are texts. */
const shownEntry = (entry: unknown): unknown => masked('', JSON.parse(JSON.stringify(entry)));

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Streams of other things than lists, such as events, have no members; `@TellsSecrets` refuses those with secrets. */
const isStream = (value: object): boolean => typeof Reflect.get(value, 'pipe') === 'function';
