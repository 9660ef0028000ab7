import type { FastifyInstance } from 'fastify';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { jsonProblem } from '../validation/json-guard.js';

/** What is dangerous to keep, or cannot be kept, gets to no route: whoever wrote one need not think of it. */
export function guardRequests(server: FastifyInstance): void {
  server.addHook('preValidation', (request, _reply, done) => {
    // What cannot be stored is nobody's name.
    if (jsonProblem(request.params)) return done(new ManagementError('NOT_FOUND'));
    const found = jsonProblem(request.query) ?? jsonProblem(request.body);
    done(found && invalidFields({ [found.path]: found.problem }));
  });
}
