import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestManagement } from '../testing/test-management.js';
import type { Schema } from '../validation/json-schema.js';
import { OpenApiService } from './open-api.service.js';
import type { OpenApiDocument } from './schema.js';

const TOOLS = fileURLToPath(new URL('../../../../tools/openapi', import.meta.url));
const run = promisify(execFile);

let management: TestManagement;
let document: OpenApiDocument;
beforeAll(async () => {
  // With this setting, the document also describes the routes of the reference page.
  management = await TestManagement.start({ RAMPART_DOCS: 'true' });
  document = await management.app.get(OpenApiService).document();
});
afterAll(() => management?.close());

const isDescribed = ({ description = '' }: { description?: string }): boolean => /^\S.*[.]$/s.test(description);

/** Returns the paths of the members of a schema that have no description. */
function undescribed(schema: Schema, place: string): string[] {
  const { properties = {}, items, additionalProperties, anyOf = [], prefixItems = [] } = schema;
  const inner = [items, additionalProperties || undefined, ...anyOf, ...prefixItems];
  return [
    ...Object.entries(properties).flatMap(([name, member]) => [
      ...(isDescribed(member) ? [] : [`${place}.${name}`]),
      ...undescribed(member, `${place}.${name}`),
    ]),
    ...inner.flatMap((part) => (part ? undescribed(part, place) : [])),
  ];
}

/** Returns the problems that the linter finds with all of its recommended rules. */
async function lint(text: string): Promise<unknown[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rampart-lint-'));
  try {
    const file = join(folder, 'openapi.json');
    await writeFile(file, text);
    const program = join(TOOLS, 'node_modules/@redocly/cli/bin/cli.js');
    const args = [program, 'lint', file, '--config', join(TOOLS, 'redocly.yaml'), '--format', 'json'];
    // The linter must not send usage data or check for newer versions.
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { stdout } = await run(process.execPath, args, { env }).catch((error: { stdout: string }) => error);
    const { problems } = JSON.parse(stdout);
    return problems.map(({ ruleId, message }: { ruleId: string; message: string }) => `${ruleId}: ${message}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('descriptions in the document', () => {
  it('every parameter has a description', () => {
    const bare = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { parameters = [] }]) =>
        parameters.filter((parameter) => !isDescribed(parameter)).map(({ name }) => `${method} ${path}: ${name}`),
      ),
    );
    expect(bare).toEqual([]);
  });

  it('every schema and each of its members has a description', () => {
    const { schemas } = document.components;
    const bare = Object.entries(schemas).flatMap(([name, schema]) => [
      ...(isDescribed(schema) ? [] : [name]),
      ...undescribed(schema, name),
    ]);
    expect(bare).toEqual([]);
    expect(undescribed({ properties: { a: { type: 'string' } }, anyOf: [{ properties: { b: {} } }] }, 'It')).toEqual([
      'It.a',
      'It.b',
    ]);
  });

  it('the document, its licence and every tag have a description', () => {
    expect(document.tags.filter((tag) => !isDescribed(tag))).toEqual([]);
    expect(document.info).toMatchObject({
      description: expect.stringMatching(/\.$/),
      license: { name: 'MIT', identifier: 'MIT' },
    });
  });
});

it('the document has no component that nothing refers to', () => {
  const text = JSON.stringify(document);
  const { schemas, responses } = document.components;
  const references = [
    ...Object.keys(schemas).map((name) => `#/components/schemas/${name}`),
    ...Object.keys(responses).map((name) => `#/components/responses/${name}`),
  ];
  expect(references.filter((reference) => !text.includes(`"${reference}"`))).toEqual([]);
});

describe('the linter', () => {
  it('finds no problem in the document with its recommended rules', async () => {
    expect(await lint(JSON.stringify(document))).toEqual([]);
  }, 60_000);

  it('finds problems in a document that has some', async () => {
    const { license, ...info } = document.info;
    expect(await lint(JSON.stringify({ ...document, info }))).toEqual([
      'info-license: Info object should contain `license` field.',
    ]);
  }, 60_000);
});
