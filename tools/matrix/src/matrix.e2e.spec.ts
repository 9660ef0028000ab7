import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { engineVersion, programVersion } from '@rampart/testing';
import { type Cell, type Json, OUTLINE_CELL } from './cells/cell.js';
import { CLIENTS } from './clients/all-clients.js';
import { CLASH_KEYS, keysOf } from './clients/clash-keys.js';
import { accountOf } from './clients/client.js';
import { proxiesIn } from './clients/mihomo.js';
import { outline } from './clients/sing-box.js';
import { ClientSession, type MatrixEnvironment, startEnvironment } from './environment.js';
import { exchangeWithRetries } from './exchange.js';
import { isComplete, selectedCells, selection } from './selected-cells.js';
import { renderTable, TABLE_FILE } from './table.js';

// A client that hangs is tried three times.
jest.setTimeout(60_000);

/** Only a run with the pinned engine writes the table. */
const isPinned = engineVersion() === programVersion('xray');

let environment: MatrixEnvironment;
let declared = 0;
let passed = 0;

/** Declares a test that must pass before the table is written. */
function tableTest(name: string, test: () => Promise<void>, withinMs?: number): void {
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

describe.each(CLIENTS.map((client) => [client.column, client] as const))(`%s: ${selection}`, (column, client) => {
  const isInDocument = ({ verdicts }: Cell) => verdicts[column] === 'passes' || 'written' in verdicts[column];
  const passing = selectedCells.filter(({ verdicts }) => verdicts[column] === 'passes');
  let session: ClientSession;
  beforeAll(async () => {
    session = await ClientSession.start(client, environment);
  }, 60_000);
  afterAll(() => session?.close());

  tableTest('the document leaves out exactly the cells that the client does not support', async () => {
    const expected = selectedCells.filter(isInDocument).map(({ shownAs }) => shownAs);
    expect(session.names().sort()).toEqual(expected.sort());
  });

  tableTest(
    'the client accepts the whole document, and a document without any proxy',
    async () => {
      expect(client.namesIn(session.documents.get('nobody') ?? '')).toEqual([]);
      for (const document of session.documents.values()) expect(await client.complaint(document)).toBe('');
    },
    180_000,
  );

  for (const cell of passing) {
    tableTest(`${cell.name} carries 300 KB up and 200 KB down`, () => session.carries(cell));
  }

  const known = column === 'mihomo' || column === 'the first Clash' ? CLASH_KEYS[column] : undefined;
  if (known === undefined) return;
  tableTest('the document contains only keys that the client knows', async () => {
    const proxies = [...session.documents.values()].flatMap(proxiesIn);
    expect([...new Set(proxies.flatMap((proxy) => keysOf(proxy)))].filter((key) => !known.has(key))).toEqual([]);
  });
});

describe(`Outline: ${selection}`, () => {
  const hasServer = selectedCells.some(({ name }) => name === OUTLINE_CELL);
  const keyOf = async (user: 'plain' | 'nobody'): Promise<Json> => {
    const headers = { 'user-agent': outline.userAgent };
    const answer = await fetch(environment.subscriptions.get(user) ?? '', { headers });
    return JSON.parse(await answer.text());
  };

  if (hasServer) {
    tableTest('the access key of Outline carries 300 KB up and 200 KB down', async () => {
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

  tableTest('the access key of Outline is empty for a user without a server', async () => {
    expect(await keyOf('nobody')).toEqual({});
  });
});
