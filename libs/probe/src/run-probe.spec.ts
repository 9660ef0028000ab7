import { describe, expect, it } from '@jest/globals';
import { type ProbeMachine, runProbe } from './run-probe.js';

const vless = (address: string) => {
  const user = { id: '11111111-1111-4111-8111-111111111111', encryption: 'none' };
  const settings = { vnext: [{ address, port: 443, users: [user] }] };
  return [{ tag: 'proxy', protocol: 'vless', settings, streamSettings: { network: 'tcp', security: 'tls' } }];
};
const request = {
  ...{ outbounds: JSON.stringify(vless('proxy.example.com')), url: 'https://example.com/' },
  ...{ timeoutMs: 5_000, maxBytes: 1_000 },
};
/** No engine is started in these tests. */
const machine = (resolve: ProbeMachine['resolve'], signal: AbortSignal): ProbeMachine =>
  ({ directory: '/nonexistent', isAllowed: () => true, resolve, signal }) as unknown as ProbeMachine;

describe(runProbe.name, () => {
  it('rejects with the reason of a signal that ended before it began, and leaves no rejection of a name unhandled', async () => {
    const unhandled: unknown[] = [];
    const listener = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', listener);
    try {
      const ended = AbortSignal.abort(new Error('the node stops'));
      const unresolved = () => Promise.reject(new Error('ENOTFOUND'));
      await expect(runProbe(request, machine(unresolved, ended))).rejects.toThrow('the node stops');
      await new Promise(setImmediate);
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', listener);
    }
  });

  it('rejects with the reason of a signal that ends it while a name is resolved', async () => {
    const stop = new AbortController();
    const probing = runProbe(
      request,
      machine(() => new Promise(() => stop.abort(new Error('the node stops'))), stop.signal),
    );
    await expect(probing).rejects.toThrow('the node stops');
  });
});
