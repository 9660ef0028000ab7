import { isUtf8 } from 'node:buffer';
import { parse as parseForm } from 'node:querystring';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { jsonTextProblem } from './json-text.js';

/** Parses JSON, and the form of a login; no other route accepts forms. */
export function useBodyParsers(app: NestFastifyApplication): void {
  app.useBodyParser('application/x-www-form-urlencoded', {}, ({ routeOptions }, body, done) => {
    if (routeOptions.config.accessLevel === 'public') done(null, parseForm(body.toString()));
    else done(new ManagementError('MEDIA_TYPE_UNSUPPORTED'));
  });
  // An empty body counts as no body, because many clients send a content type without a body.
  app.useBodyParser('application/json', {}, (_request, body, done) => {
    try {
      done(null, body.length === 0 ? undefined : readJson(body));
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)), undefined);
    }
  });
}

function readJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw invalidFields({ body: 'The body is not UTF-8' });
  // Some platforms begin texts with a byte order mark.
  const text = body.toString().replace(/^\uFEFF/, '');
  const found = decoded(() => jsonTextProblem(text));
  if (found) throw invalidFields({ [found.path]: found.problem });
  return decoded(() => JSON.parse(text));
}

function decoded<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw invalidFields({ body: 'JSON decode error' });
  }
}
