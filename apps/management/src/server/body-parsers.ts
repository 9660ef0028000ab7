import { isUtf8 } from 'node:buffer';
import { parse as parseForm } from 'node:querystring';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { AccessLevel } from '../access/access-level.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { type JsonLimits, jsonTextProblem } from './json-text.js';

/**
 * By whom a route is for: a login has three members, plain admins send up to four lists of 10,000 ids, and sudo admins whole
 * configurations.
 */
const LIMITS: Readonly<Record<AccessLevel, JsonLimits>> = {
  public: { containers: 10, values: 100 },
  admin: { containers: 1_000, values: 50_000 },
  sudo: { containers: 500_000, values: Number.POSITIVE_INFINITY },
};

/** A body that has arrived. */
class UnreadBody {
  constructor(readonly read: () => unknown) {}
}

/** Accepts JSON, and the form of a login; no other route accepts forms. Bodies are parsed by `readBodies`. */
export function useBodyParsers(app: NestFastifyApplication): void {
  app.useBodyParser('application/x-www-form-urlencoded', {}, ({ routeOptions }, body, done) => {
    if (routeOptions.config.accessLevel === 'public') done(null, new UnreadBody(() => parseForm(body.toString())));
    else done(new ManagementError('MEDIA_TYPE_UNSUPPORTED'));
  });
  // An empty body counts as no body, because many clients send a content type without a body.
  app.useBodyParser('application/json', {}, ({ routeOptions }, body, done) => {
    const limits = LIMITS[routeOptions.config.accessLevel ?? 'public'];
    done(null, body.length === 0 ? undefined : new UnreadBody(() => readJson(body, limits)));
  });
}

/** Parses bodies in the turns that their requests take when they have arrived, because many may arrive at once. */
export function readBodies(server: FastifyInstance): void {
  server.addHook('preValidation', (request, _reply, done) => {
    try {
      if (request.body instanceof UnreadBody) request.body = request.body.read();
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

function readJson(body: Buffer, limits: JsonLimits): unknown {
  if (!isUtf8(body)) throw invalidFields({ body: 'The body is not UTF-8' });
  // Some platforms begin texts with a byte order mark.
  const text = body.toString().replace(/^\uFEFF/, '');
  const found = decoded(() => jsonTextProblem(text, limits));
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
