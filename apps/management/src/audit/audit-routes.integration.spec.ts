import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { madeOf, SECRETS, secretsOf, send } from '../testing/mutations/mutation.js';
import { MUTATIONS } from '../testing/mutations/mutations.js';
import { CHECKING, type Route, routesOf } from '../testing/routes.js';
import { TestManagement } from '../testing/test-management.js';
import { AuditEntry } from './audit-entry.entity.js';

/** Actions whose audit entries also contain what has changed. */
const CHANGES = /\.(create|modify|delete|bulk|set_owner|revoke)/;

let management: TestManagement;
let mutating: Route[];
beforeAll(async () => {
  management = await TestManagement.start();
  mutating = routesOf(management.app).filter(({ method, route }) => method !== 'GET' && !CHECKING.includes(route));
});
afterAll(() => management?.close());

const entries = () => management.database.manager.find(AuditEntry, { order: { id: 'ASC' } });

describe('security row 22: the audit log', () => {
  it('the audit log has a test for every route that changes something', () => {
    expect(mutating.map(({ route }) => route).sort()).toEqual(Object.keys(MUTATIONS).sort());
  });

  it.each(Object.entries(MUTATIONS))(
    'the audit log gets one row without secrets for %s',
    async (route, { action, prepare }) => {
      const request = await prepare(management);
      const before = await entries();
      const answer = await send(management, route, request);
      const rows = (await entries()).slice(before.length);
      expect(rows).toEqual([
        {
          id: expect.any(String),
          at: expect.any(Date),
          actor: request.by?.username ?? 'root',
          actorId: request.by?.id ?? 1,
          tokenId: null,
          tokenName: null,
          sessionId: expect.any(Number),
          address: '127.0.0.1',
          action,
          target: typeof request.target === 'string' ? request.target : request.target(madeOf(answer)),
          difference: expect.any(Object),
        },
      ]);
      if (CHANGES.test(action)) expect(rows.flatMap((row) => Object.keys(row.difference))).not.toEqual([]);
      const written = JSON.stringify(rows);
      for (const secret of [...Object.values(SECRETS), ...secretsOf(answer)]) expect(written).not.toContain(secret);
    },
  );
});
