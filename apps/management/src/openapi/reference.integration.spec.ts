import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SUDO, TestManagement } from '../testing/test-management.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const TOOLS = join(ROOT, 'tools/openapi');
const OPTIONS = [
  ...'--strict --module nodenext --target es2022 --lib es2022,dom --types node --typeRoots'.split(' '),
  join(ROOT, 'node_modules/@types'),
];
const run = promisify(execFile);

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start({ RAMPART_DOCS: 'true' });
});
afterAll(() => management?.close());

const get = (url: string) => management.request('GET', url, undefined, '');

describe('with RAMPART_DOCS', () => {
  it('the document is public, and describes its own page', async () => {
    const { status, body } = await get('/api/openapi.json');
    const page = {
      get: { security: [], responses: { 200: { content: { 'text/html': { schema: { type: 'string' } } } } } },
    };
    const style = { get: { responses: { 200: { content: { 'text/css': { schema: { type: 'string' } } } } } } };
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { paths: { '/api/docs': page, '/api/docs/swagger-ui.css': style } },
    });
  });

  it('the page loads nothing from other servers, and nothing inline', async () => {
    const { status, headers, text } = await get('/api/docs');
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const resources = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
    expect(resources).toEqual([
      'data:,',
      '/api/docs/swagger-ui.css',
      '/api/docs/swagger-ui-bundle.js',
      '/api/docs/start.js',
    ]);
    expect(text).not.toMatch(/<style|<script>|\son\w+=|style=/);
  });

  it.each([
    ['swagger-ui.css', 'text/css; charset=utf-8', '.swagger-ui'],
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 'SwaggerUIBundle'],
    ['start.js', 'text/javascript; charset=utf-8', "url: '/api/openapi.json'"],
  ])('with RAMPART_DOCS, management serves the file %s of the reference page', async (name, type, part) => {
    const { status, headers, text } = await get(`/api/docs/${name}`);
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type });
    expect(text).toContain(part);
  });

  it('a client with types generated from the document compiles and works', async () => {
    await management.app.listen(0, '127.0.0.1');
    const url = await management.app.getUrl();
    const folder = await mkdtemp(join(tmpdir(), 'rampart-client-'));
    try {
      await cp(join(TOOLS, 'example'), folder, { recursive: true });
      await symlink(join(TOOLS, 'node_modules'), join(folder, 'node_modules'));
      await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
      const generator = join(TOOLS, 'node_modules/openapi-typescript/bin/cli.js');
      await run(process.execPath, [generator, `${url}/api/openapi.json`, '-o', 'schema.ts'], { cwd: folder });
      const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
      await run(process.execPath, [compiler, ...OPTIONS, 'client.ts'], { cwd: folder });
      const { stdout } = await run(process.execPath, ['client.js', url, SUDO.username, SUDO.password], { cwd: folder });
      expect(JSON.parse(stdout)).toMatchObject({ username: 'alice', data_limit: 2 ** 30, group_ids: [1] });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }, 60_000);
});
