import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as client from '@rampart/node-client';
import { enginePath, engineVersion, freePort } from '@rampart/testing';
import { API_KEY, RunningNode } from '../testing/nodes/running-node.js';

const README = join(import.meta.dirname, '../../../../libs/node-client/README.md');
const IMPORT = /^import (\{[^}]*\}) from '@rampart\/node-client';$/m;

let node: RunningNode;
beforeAll(async () => {
  node = await RunningNode.open({ settings: { XRAY_EXECUTABLE_PATH: enginePath() } });
});
afterAll(() => node.close());

/** The README's examples as one program, with the address and port of this machine. */
function programOf(readme: string, transport: string, inboundPort: number): string {
  const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
  for (const block of blocks) expect(block?.trim().split('\n').length).toBeLessThanOrEqual(10);
  let program = blocks.join('\n').replace(IMPORT, 'const $1 = client;');
  for (const [example, here] of [
    ["transport: 'auto'", `transport: '${transport}'`],
    ["'node.example.com'", "'127.0.0.1'"],
    ['port: 62050', `port: ${node.port}`],
    // The comma is included, since the node's port may begin with the same digits.
    ['port: 443,', `port: ${inboundPort},`],
  ] as const) {
    expect(program.split(example)).toHaveLength(2);
    program = program.replace(example, here);
  }
  return program;
}

it.each(['auto', 'grpc', 'rest'])(
  'the examples in the README of the client library work over %s',
  async (transport) => {
    const printed: unknown[][] = [];
    const environment = { NODE_API_KEY: API_KEY, NODE_FINGERPRINT: client.fingerprintOf(node.certificate.cert) };
    const program = programOf(readFileSync(README, 'utf8'), transport, await freePort());
    const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
    const run = AsyncFunction('client', 'process', 'console', program) as (...given: unknown[]) => Promise<void>;
    await run(client, { env: environment }, { log: (...words: unknown[]) => printed.push(words) });
    const log = printed.filter(([sequence, detail]) => typeof sequence === 'bigint' && typeof detail === 'string');
    expect(log[0]?.[0]).toBe(1n);
    expect(String(log.at(-1)?.[1])).toContain(`Xray ${engineVersion()} started`);
    expect(printed.filter((words) => !log.includes(words))).toEqual([
      [engineVersion(), []],
      ['2.bob', expect.stringContaining('UUID')],
      [0n, [], true, true],
      // The name of the example is one that never exists.
      ['address', expect.stringContaining('proxy.example was not resolved: '), 0],
      ['INVALID_ARGUMENT', false],
    ]);
  },
);
