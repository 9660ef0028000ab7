import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { engineVersion, programVersion } from '@rampart/testing';
import { type Cell, type Json, OUTLINE_CELL } from './cell.js';
import { CLIENTS } from './clients/all-clients.js';
import { CLASH_KEYS, keysOf } from './clients/clash-keys.js';
import { accountOf } from './clients/client.js';
import { proxiesIn } from './clients/mihomo.js';
import { outline } from './clients/sing-box.js';
import { ClientSession, type MatrixEnvironment, startEnvironment } from './environment.js';
import { exchangeWithRetries } from './exchange.js';
import { choice, isComplete, selectedCells } from './selected-cells.js';
import { renderTable, TABLE_FILE } from './table.js';

// Three tries of a client that hangs.
jest.setTimeout(60_000);

/** The table is about the versions that are pinned. */
const isPinned = engineVersion() === programVersion('xray');

let environment: MatrixEnvironment;
let declared = 0;
let passed = 0;

/** A test that the table depends on. */
function proves(name: string, test: () => Promise<void>, withinMs?: number): void {
  declared += 1;
  it(
    name,
    async () => {
      await test();
      passed += 1;
    },
    withinMs,
  );
}

beforeAll(async () => {
  environment = await startEnvironment();
}, 180_000);

afterAll(async () => {
  await environment?.close();
  if (isComplete && isPinned && passed === declared) await writeFile(TABLE_FILE, renderTable());
});

describe.each(CLIENTS.map((client) => [client.column, client] as const))(`%s: ${choice}`, (column, client) => {
  const isInDocument = ({ verdicts }: Cell) => verdicts[column] === 'passes' || 'written' in verdicts[column];
  const passing = selectedCells.filter(({ verdicts }) => verdicts[column] === 'passes');
  let session: ClientSession;
  beforeAll(async () => {
    session = await ClientSession.start(client, environment);
  }, 60_000);
  afterAll(() => session?.close());

  proves('leaves out what it cannot carry, and nothing else', async () => {
    const expected = selectedCells.filter(isInDocument).map(({ shownAs }) => shownAs);
    expect(session.names().sort()).toEqual(expected.sort());
  });

  proves(
    'accepts the whole document, and one without any proxy',
    async () => {
      expect(client.namesIn(session.documents.get('nobody') ?? '')).toEqual([]);
      for (const document of session.documents.values()) expect(await client.complaint(document)).toBe('');
    },
    180_000,
  );

  for (const cell of passing) {
    proves(`carries 300 KB up and 200 KB down: ${cell.name}`, () => session.carries(cell));
  }

  const known = column === 'mihomo' || column === 'the first Clash' ? CLASH_KEYS[column] : undefined;
  if (known === undefined) return;
  proves('has no keys but known ones', async () => {
    const proxies = [...session.documents.values()].flatMap(proxiesIn);
    expect([...new Set(proxies.flatMap((proxy) => keysOf(proxy)))].filter((key) => !known.has(key))).toEqual([]);
  });
});

describe(`Outline: ${choice}`, () => {
  const hasServer = selectedCells.some(({ name }) => name === OUTLINE_CELL);
  const keyOf = async (user: 'plain' | 'nobody'): Promise<Json> => {
    const headers = { 'user-agent': outline.userAgent };
    const answer = await fetch(environment.subscriptions.get(user) ?? '', { headers });
    return JSON.parse(await answer.text());
  };

  if (hasServer) {
    proves('carries 300 KB up and 200 KB down by its access key', async () => {
      const { tag, ...key } = await keyOf('plain');
      expect(tag).toBe(OUTLINE_CELL);
      expect(Object.keys(key)).toEqual(['server', 'server_port', 'password', 'method']);
      const client = await outline.start(key, environment.trusted);
      try {
        await exchangeWithRetries(client.port, accountOf(0));
      } finally {
        await client.close();
      }
    });
  }

  proves('gets an empty key where there is no server for it', async () => {
    expect(await keyOf('nobody')).toEqual({});
  });
});
