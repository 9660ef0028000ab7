import { describe, expect, it } from '@jest/globals';
import { diagnose, type ProbedHost } from './diagnose.js';
import { NOT_PUBLIC, type ProbeResult, type ProbeStage } from './probe-result.js';

const host: ProbedHost = {
  address: 'proxy.example.com',
  port: 40_443,
  serverName: 'proxy.example.com',
  security: 'tls',
  url: 'https://example.com/',
  prober: 'the node paris',
};

const result = (stage: ProbeStage, error: string): ProbeResult => ({
  ...{ stage, error, address: '203.0.113.7' },
  ...{ handshakeMs: 0, firstByteMs: 0, bytes: 0, bytesPerSecond: 0, httpStatus: 0 },
});

describe(diagnose.name, () => {
  it.each([
    ['handshake', 'dial tcp 203.0.113.7:40443: connect: connection refused', 'closed_port'],
    ['handshake', 'dial tcp 198.51.100.3:404: connect: connection refused', 'closed_port'],
    ['handshake', 'creating connection to tcp:203.0.113.7:14041: i/o timeout', 'blocked_address'],
    ['handshake', 'unexpected status 404', 'wrong_path'],
    ['answer', 'the server answered: 404 Not Found', 'wrong_path'],
    ['address', `10.0.0.1 ${NOT_PUBLIC}`, 'private_address'],
    ['address', 'proxy.example.com has no address', 'name_not_found'],
  ] as const)('takes "%s: %s" for %s', (stage, error, problem) => {
    expect(diagnose(result(stage, error), host)?.problem).toBe(problem);
  });

  it('says where a private network is named that may be probed', () => {
    expect(diagnose(result('address', `10.0.0.1 ${NOT_PUBLIC}`), { ...host, address: '10.0.0.1' })?.advice).toBe(
      '10.0.0.1 leads into a private network, which probes do not enter. Give the host its public address; where clients are in that network too, name it in RAMPART_PROBE_NETWORKS of the node paris.',
    );
  });
});
