import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OpenApiService } from './openapi/open-api.service.js';
import type { OpenApiDocument } from './openapi/schema.js';
import { SECRETS } from './testing/mutations/mutation.js';
import { MUTATIONS } from './testing/mutations/mutations.js';
import { type Route, routesOf } from './testing/routes.js';
import { membersOf } from './testing/schema-members.js';
import { TestManagement } from './testing/test-management.js';

/** All that a dry run tells: numbers, moments, names of users and nodes, and itself. */
const TOLD =
  /^(affected_\w+|count|created|dry_run|from|to|\w+_bytes|uplink|downlink|reactivated_users|possible_holds|nodes)$/;

describe('security row 93: a dry run', () => {
  let management: TestManagement;
  let document: OpenApiDocument;
  let routes: readonly Route[];

  beforeAll(async () => {
    management = await TestManagement.start();
    document = await management.app.get(OpenApiService).document();
    routes = routesOf(management.app).filter((route) => placeOf(route) !== undefined);
  });
  afterAll(() => management?.close());

  function placeOf({ method, path }: Route): 'query' | 'body' | undefined {
    const operation = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    if (operation?.parameters?.some(({ name }) => name === 'dry_run')) return 'query';
    const schema = operation?.requestBody?.content['application/json']?.schema ?? {};
    return membersOf(schema, document).some(([name]) => name === 'dry_run') ? 'body' : undefined;
  }
  const entries = async (): Promise<number> =>
    (await management.database.query('SELECT count(*)::int AS count FROM audit_entries'))[0].count;

  it('tells numbers and names, no secret, and is refused to tokens that only read, so the log of changes has none', async () => {
    expect(routes.length).toBeGreaterThan(15);
    const made = await management.call('POST', '/api/admin/tokens', {
      ...{
        name: 'reader',
        scope: 'read',
        grants: ['secrets'],
        expires_at: new Date(Date.now() + 60_000).toISOString(),
      },
    });
    const reader = Object(made.body).token;
    const told: string[] = [];
    for (const route of routes) {
      const mutation = MUTATIONS[route.route];
      expect([route.route, mutation !== undefined]).toEqual([route.route, true]);
      const { url, body, by } = await mutation!.prepare(management);
      const separator = url.includes('?') ? '&' : '?';
      const dry = placeOf(route) === 'query' ? `${url}${separator}dry_run=true` : url;
      const sent = placeOf(route) === 'query' ? body : { ...body, dry_run: true };
      const before = await entries();
      const refused = await management.call(route.method, dry, sent, reader);
      expect([route.route, refused.status, Object(refused.body).code]).toEqual([route.route, 403, 'API_TOKEN_SCOPE']);
      const { status, text } = await management.request(route.method, dry, sent, by?.token);
      expect([route.route, status < 300, text]).toEqual([route.route, true, text]);
      for (const secret of [...Object.values(SECRETS), 'http', '/sub/']) expect(text).not.toContain(secret);
      const { subscription_urls, ...answer } = JSON.parse(text);
      expect(subscription_urls ?? []).toEqual([]);
      told.push(...Object.keys(answer).filter((name) => !TOLD.test(name)));
      expect([route.route, await entries()]).toEqual([route.route, before]);
    }
    expect(told).toEqual([]);
  });
});
