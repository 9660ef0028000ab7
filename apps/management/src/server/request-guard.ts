import type { FastifyInstance } from 'fastify';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { jsonProblem } from '../validation/json-guard.js';

/** Refuses values that are dangerous to store or cannot be stored, so that no route has to check for them. */
export function guardRequests(server: FastifyInstance): void {
  server.addHook('preValidation', (request, _reply, done) => {
    // No object has a name that cannot be stored.
    if (jsonProblem(request.params)) return done(new ManagementError('NOT_FOUND'));
    const found = jsonProblem(request.query) ?? jsonProblem(request.body);
    done(found && invalidFields({ [found.path]: found.problem }));
  });
}
