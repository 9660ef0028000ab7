import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { freePort, ProgramProcess, readShellExamples, ShellSession, scratchFolder } from '@rampart/testing';
import { startEnrolledNode } from './testing/enrolled-node.js';

jest.setTimeout(180_000);

const PAGE = join(import.meta.dirname, '../../../docs/integrators.md');
const NODE_CLIENT = join(import.meta.dirname, '../../../libs/node-client/README.md');
const PASSWORD = 'a password for integrators';

const root = mkdtempSync(join(scratchFolder(), 'rampart-integrators-'));
let management: ProgramProcess;
let node: ProgramProcess | undefined;
let shell: ShellSession;

beforeAll(async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  management = new ProgramProcess('management', {
    RAMPART_HOST: '127.0.0.1',
    RAMPART_PORT: new URL(url).port,
    RAMPART_DATA_DIR: join(root, 'management'),
    RAMPART_PUBLIC_URL: url,
    RAMPART_ADMIN_USERNAME: 'root',
    RAMPART_ADMIN_PASSWORD: PASSWORD,
  });
  await management.printed(`Ready on ${url}`);
  shell = new ShellSession({ API: url, ROOT_PASSWORD: PASSWORD, NODE_PORT: String(await freePort()) });
});
afterAll(async () => {
  shell?.close();
  await Promise.all([management?.stop(), node?.stop()]);
  rmSync(root, { recursive: true, force: true });
});

describe('docs/integrators.md', () => {
  it('every program of docs/integrators.md stands on the page of the node client, whose programs are run', async () => {
    const programsIn = async (page: string) =>
      [...(await readFile(page, 'utf8')).matchAll(/^```ts\n(.*?)^```/gms)].map(([, program]) => program);
    const shown = await programsIn(PAGE);
    expect(shown).toHaveLength(3);
    expect(await programsIn(NODE_CLIENT)).toEqual(expect.arrayContaining(shown));
  });

  it('every command of docs/integrators.md runs in its order and prints what the page says', async () => {
    const examples = await readShellExamples(PAGE);
    expect(examples.length).toBeGreaterThan(15);
    for (const { code, output } of examples) {
      const printed = await shell.run(code);
      expect({ code, output: output ?? printed }).toEqual({ code, output: printed });
      if (code.includes('ENROLMENT=')) node = startEnrolledNode(await shell.run(`printf '%s' "$ENROLMENT"`), root);
    }
  });
});
