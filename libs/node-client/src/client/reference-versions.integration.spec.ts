import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { NodeClient } from '../api/node-client.js';
import { type Log, StatType } from '../gen/service.js';
import { failureOf } from '../testing/failure.js';
import { REFERENCE_CONFIG as config, ReferenceFixture } from '../testing/reference-fixture.js';

const MIB = 1024 * 1024;

describe.each(['grpc', 'rest'] as const)('the %s client with versions of another implementation', (transport) => {
  let fixture: ReferenceFixture;
  const readers: AsyncIterator<Log>[] = [];
  afterEach(async () => {
    for (const reader of readers.splice(0)) await reader.return?.();
    await fixture.close();
  });

  const started = async (version?: string): Promise<NodeClient> => {
    fixture = await ReferenceFixture.listen(transport, version === undefined ? {} : { version });
    const client = fixture.client(transport);
    await client.start({ config });
    return client;
  };
  const large = JSON.stringify({ log: {}, pad: 'x'.repeat(5 * MIB) });

  it('a message of 5 MiB is taken by another implementation since version 0.2', async () => {
    const client = await started('0.2.0');
    expect(await client.start({ config: large })).toMatchObject({ running: true, version: '0.2.0' });
  });

  it('a message of 5 MiB is too large for the gRPC of another implementation before version 0.2', async () => {
    const client = await started('0.1.4');
    const starting = client.start({ config: large });
    if (transport === 'rest') return expect(await starting).toMatchObject({ running: true });
    const message = expect.stringMatching(/^Received message larger than max \(\d+ vs 4194304\)$/);
    expect(await failureOf(starting)).toMatchObject({ code: 'TOO_LARGE', message, retryable: false });
    expect(await client.info()).toMatchObject({ running: true });
  });

  it('a configuration without a log is refused by another implementation before version 0.2', async () => {
    const client = await started('0.1.4');
    expect(await failureOf(client.start({ config: '{}' }))).toMatchObject({ code: 'START_FAILED' });
  });

  /** Reads counters of 5 MiB from a version. */
  const readLarge = async (version: string) => {
    const client = await started(version);
    for (let user = 1; user <= 1_800; user += 1) {
      const name = `user>>>${user}${'x'.repeat(3_000)}>>>traffic>>>uplink`;
      fixture.node.core.counters.set(name, 7n);
    }
    return client.stats({ type: StatType.UsersStat });
  };

  it('counters of 5 MiB are read from another implementation since version 0.5.1', async () => {
    expect(await readLarge('0.5.1')).toMatchObject({ stats: Array(1_800).fill({ value: 7n }) });
  });

  it('counters of 5 MiB are too large for another implementation before version 0.5.1', async () => {
    const message = expect.stringMatching(
      /^rpc error: code = ResourceExhausted desc = grpc: received message larger than max \(\d+ vs. 4194304\)$/,
    );
    expect(await failureOf(readLarge('0.5.0'))).toMatchObject({ code: 'TOO_LARGE', message, retryable: false });
  });

  it('latencies are a call that another implementation does not have before version 0.4.1', async () => {
    expect(await (await started('0.4.1')).latencies()).toMatchObject({ latencies: [{ name: 'direct' }] });
    await fixture.close();
    const client = await started('0.4.0');
    expect(await failureOf(client.latencies())).toMatchObject({ code: 'NOT_FOUND', retryable: false });
  });

  const readerOf = (client: NodeClient): AsyncIterator<Log> => {
    const reader = client.logs({ resume: false })[Symbol.asyncIterator]();
    readers.push(reader);
    return reader;
  };
  const next = async (reader: AsyncIterator<Log>): Promise<string> => (await reader.next()).value.detail;

  it('readers of a log of another implementation share its lines, and get none of a later engine', async () => {
    const client = await started();
    const { log } = fixture.node;
    log.print('old');
    const [first, second] = [readerOf(client), readerOf(client)];
    expect(await next(first)).toBe('old');
    const reads = once(log, 'reader');
    const line = next(second);
    await reads;
    for (const text of ['one', 'two', 'three']) log.print(text);
    expect([await next(first), await line, await next(first)]).toEqual(['one', 'two', 'three']);
    await client.start({ config });
    fixture.node.log.print('new');
    expect(await next(readerOf(client))).toBe('new');
  });

  it.each([
    ['0.2.0', 1_000],
    ['0.5.2', 10_000],
  ])(
    'another implementation of version %s keeps %i lines of its log for readers, and drops newer ones',
    async (...row) => {
      const [version, kept] = row;
      const reader = readerOf(await started(version));
      const { log } = fixture.node;
      for (let line = 1; line <= kept + 1; line += 1) log.print(`${line}`);
      log.once('reader', () => log.print('after'));
      const lines: string[] = [];
      while (lines.at(-1) !== 'after') lines.push(await next(reader));
      expect([lines.length, ...lines.slice(-2)]).toEqual([kept + 1, `${kept}`, 'after']);
    },
  );
});
