import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ManagementWithNodeDoubles } from '../nodes/testing/management-with-node-doubles.js';
import type { Method } from '../testing/routes.js';
import { SUDO } from '../testing/test-management.js';
import { codeAt } from '../totp/totp-codes.js';
import { EXAMPLES, type Example } from './examples.js';
import { OpenApiService } from './open-api.service.js';
import type { OpenApiDocument, Operation } from './schema.js';
import { AnswerChecker } from './testing/answer-checker.js';

const KEY = Buffer.alloc(32, 7).toString('base64url');
/** The tokens of examples, of a subscription and of a probe, are valid in each run with the same keys. */
const SETTINGS = { RAMPART_SUBSCRIPTION_KEY: KEY, RAMPART_AT_REST_KEY: KEY };

const BROWSER: Record<string, string> = { 'x-rampart-dashboard': '1' };

interface Place {
  method: Method;
  path: string;
  operation: Operation;
}

let nodes: ManagementWithNodeDoubles;
let document: OpenApiDocument;
let checker: AnswerChecker;
let places: ReadonlyMap<string, Place>;
beforeAll(async () => {
  nodes = await ManagementWithNodeDoubles.start(SETTINGS);
  await nodes.connectedNode();
  // The first session is ended by its id, the second one by its cookie.
  for (const _ of ['first', 'second']) {
    const { headers } = await nodes.management.request('POST', '/api/admin/session', SUDO, '', BROWSER);
    BROWSER['cookie'] = headers['set-cookie'] as string;
  }
  document = await nodes.management.app.get(OpenApiService).document();
  checker = new AnswerChecker(document);
  places = new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]): [string, Place] => [
        operation.operationId,
        { method: method.toUpperCase() as Method, path, operation },
      ]),
    ),
  );
});
afterAll(() => nodes?.close());

function urlOf(path: string, { path: values = {}, query = {} }: Example): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length > 0 ? `${filled}?${new URLSearchParams(pairs)}` : filled;
}

/** Returns status and headers of an answer that never ends. */
async function headOf(url: string): Promise<IncomingMessage> {
  const { app } = nodes.management;
  if (!app.getHttpServer().listening) await app.listen(0, '127.0.0.1');
  const headers = { authorization: `Bearer ${await nodes.management.login('root', 'correct horse battery')}` };
  const request = get(`${await nodes.management.app.getUrl()}${url}`, { headers });
  const [response]: IncomingMessage[] = await once(request, 'response');
  request.on('error', () => undefined).destroy();
  return response!;
}

/** The secret of the second factor that an example has given out. */
let totpSecret = '';

/** A body with what an example cannot know, such as the present moment; a reset needs a second factor. */
async function bodyOf(operationId: string, { body }: Example): Promise<unknown> {
  if (operationId === 'totpReset') {
    const { username, password } = Object(EXAMPLES.adminCreate?.body);
    const token = await nodes.management.login(username, password);
    await nodes.management.call('POST', '/api/admin/totp', { password }, token);
  }
  const stepMs = 30_000;
  if (operationId === 'totpConfirm') return { code: codeAt(totpSecret, Date.now() - stepMs) };
  if (operationId === 'apiTokenCreate')
    return { ...Object(body), expires_at: new Date(Date.now() + 3_600_000).toISOString() };
  return operationId === 'totpDisable' ? { ...Object(body), code: codeAt(totpSecret, Date.now()) } : body;
}

async function answerOf({ method, path, operation }: Place, example: Example) {
  const url = urlOf(path, example);
  if ('text/event-stream' in (operation.responses['200']?.content ?? {})) {
    const { statusCode: status, headers } = await headOf(url);
    return { status, type: headers['content-type'], body: undefined };
  }
  const token = operation.operationId === 'sessionEndOwn' ? '' : undefined;
  const { status, headers, text, body } = await nodes.management.request(
    method,
    url,
    await bodyOf(operation.operationId, example),
    token,
    BROWSER,
  );
  if (operation.operationId === 'totpEnrol') totpSecret = Object(body).secret;
  return { status, type: headers['content-type'], body: text === '' ? undefined : (body ?? text) };
}

describe('the examples of the document', () => {
  it('there is an example for each operation', () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual([...places.keys()].sort());
  });

  it.each(Object.entries(EXAMPLES))(
    'the example of the operation %s matches its schema and succeeds',
    async (operationId, example) => {
      const place = places.get(operationId)!;
      const { method, path, operation } = place;
      const success = Object.keys(operation.responses).find((status) => status.startsWith('2'));
      if (example.body) expect(checker.requestProblems({ method, path }, Object(example.body))).toEqual([]);
      expect(
        checker.parameterProblems({ method, path }, { ...example.path, ...example.query, ...example.headers }),
      ).toEqual([]);

      const { status, type = '', body } = await answerOf(place, example);
      expect({ status, body }).toEqual({ status: Number(success), body });
      const types = Object.keys(operation.responses[status ?? 0]?.content ?? {});
      if (types.length === 0) return expect(body).toBeUndefined();
      expect(types).toContain(type.split(';')[0]);
      if (type.startsWith('application/json') && types.length === 1) {
        expect(checker.problems({ method, path }, { status: Number(status), body })).toEqual([]);
      }
    },
  );
});
