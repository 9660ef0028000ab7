import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { invalidFields } from '../errors/management-error.js';

/** JSON, where an empty body is none: many clients name the type of a body that they do not send. */
export function useJsonBodies(app: NestFastifyApplication): void {
  app.useBodyParser('application/json', {}, (_request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    try {
      done(null, JSON.parse(body.toString()));
    } catch {
      done(invalidFields({ body: 'JSON decode error' }), undefined);
    }
  });
}
