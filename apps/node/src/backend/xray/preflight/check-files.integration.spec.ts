import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ALLOW_PRIVATE, enginePath, freePort } from '@rampart/testing';
import { planConfig } from '../config/plan/engine-plan.js';
import { testPair } from '../config/testing/certificate.js';
import { BackendFixture } from '../testing/test-backend.js';
import { checkFiles } from './check-files.js';
import { checkPorts } from './check-ports.js';

const scratch = mkdtempSync(join(tmpdir(), 'rampart-files-'));
const environment = { XRAY_LOCATION_CERT: scratch, XRAY_LOCATION_ASSET: scratch };
const LATER = new Date('2100-01-01T00:00:00Z');

const check = (config: object, now = new Date()) =>
  checkFiles(planConfig({ text: JSON.stringify(config), excludedInbounds: [] }), {
    ...{ enginePath: enginePath(), environment, now },
  });
const withFiles = (certificateFile: string, keyFile = 'key.pem') => ({
  inbounds: [
    {
      ...{ tag: 'in', port: 1, protocol: 'trojan' },
      streamSettings: { security: 'tls', tlsSettings: { certificates: [{ certificateFile, keyFile }] } },
    },
  ],
});
const withRule = (domain: string) => ({
  outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
  routing: { rules: [{ outboundTag: 'direct', domain: ['full:x', domain] }] },
});
const PLACE = 'inbound "in": streamSettings.tlsSettings.certificates[0]';

/** An entry of a geo file: its name, and a number of bytes after it. */
const entry = (name: string, rest: number) => {
  const body = Buffer.concat([Buffer.from([0x0a, name.length]), Buffer.from(name), Buffer.alloc(rest, 0x12)]);
  const length = [(body.length & 0x7f) | 0x80, ((body.length >> 7) & 0x7f) | 0x80, body.length >> 14];
  return Buffer.concat([Buffer.from([0x0a, ...length]), body]);
};

beforeAll(async () => {
  const [pair, other] = await Promise.all([testPair(), testPair()]);
  writeFileSync(join(scratch, 'cert.pem'), pair.certificate);
  writeFileSync(join(scratch, 'key.pem'), pair.key);
  writeFileSync(join(scratch, 'other.pem'), other.key);
  writeFileSync(join(scratch, 'large.pem'), Buffer.alloc(1_048_577));
  writeFileSync(
    join(scratch, 'geosite.dat'),
    Buffer.concat([entry('CN', 100_000), entry('ADS', 20_000), entry('X', 3)]),
  );
  spawnSync('mkfifo', [join(scratch, 'pipe')]);
});

afterAll(() => rmSync(scratch, { recursive: true }));

describe('certificate files', () => {
  it('are found where the engine looks for them', async () => {
    await expect(check(withFiles('cert.pem'))).resolves.toEqual([]);
    await expect(check(withFiles(join(scratch, 'cert.pem'), join(scratch, 'key.pem')))).resolves.toEqual([]);
  });

  it.each([
    ['that are missing', ['none.pem'], `${scratch}/none.pem does not exist`],
    ['that are pipes', ['pipe'], `${scratch}/pipe is not a regular file`],
    ['that are devices', ['/dev/zero'], '/dev/zero is not a regular file'],
    ['that are no certificates', ['large.pem'], `${scratch}/large.pem is larger than 1048576 bytes`],
    ['that are keys', ['key.pem'], 'the certificate is not one in PEM form'],
    ['of another key', ['cert.pem', 'other.pem'], 'the private key is not the one of the certificate'],
  ])('are refused %s', async (_what, [certificate = '', key], problem) => {
    await expect(check(withFiles(certificate, key))).rejects.toMatchObject({
      code: 'START_FAILED',
      message: `${PLACE}: ${problem}`,
    });
  });

  it('an expired certificate file gives a warning', async () => {
    const { certificate } = await testPair();
    const until = new Date(new X509Certificate(certificate).validTo).toISOString().slice(0, 10);
    await expect(check(withFiles('cert.pem'), LATER)).resolves.toEqual([
      `${PLACE}: expired on ${until}; clients that check it do not connect`,
    ]);
  });
});

describe('a node that runs with an expired certificate', () => {
  const test = new BackendFixture();
  afterAll(() => test.close());

  it("an expired certificate is in the node's warnings until another configuration runs", async () => {
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now - 11 * 365 * 86_400_000);
    const pair = await testPair();
    clock.mockRestore();
    const until = new Date(now - 365 * 86_400_000).toISOString().slice(0, 10);
    const start = async (certificates: object[]) =>
      test.start({
        inbounds: [
          {
            ...{ tag: 'in', listen: '127.0.0.1', port: await freePort(), protocol: 'trojan' },
            streamSettings: certificates.length > 0 ? { security: 'tls', tlsSettings: { certificates } } : {},
          },
        ],
      });
    await start([pair]);
    expect(test.backend.warnings).toEqual([`${PLACE}: expired on ${until}; clients that check it do not connect`]);
    await start([]);
    expect(test.backend.warnings).toEqual([]);
  });
});

describe('geo files', () => {
  it.each(['geosite:cn', 'geosite:ads@cn', 'geosite:x', 'ext:geosite.dat:Cn'])(
    'have the list of %s',
    async (domain) => {
      await expect(check(withRule(domain))).resolves.toEqual([]);
    },
  );

  it('a missing geo file is refused with the rule and the file', async () => {
    const looked = `${scratch}, /usr/local/share/xray, /usr/share/xray, /opt/share/xray`;
    await expect(check(withRule('ext:none.dat:cn'))).rejects.toMatchObject({
      code: 'START_FAILED',
      message: `routing.rules[0].domain[1]: "ext:none.dat:cn" needs none.dat, which is not in ${looked}; put it there, or name its directory in XRAY_LOCATION_ASSET`,
    });
  });

  it.each([
    ['that is missing', 'geosite:none', `there is no list NONE in ${scratch}/geosite.dat`],
    ['in a file that is not a geo file', 'ext:cert.pem:cn', `there is no list CN in ${scratch}/cert.pem`],
  ])('are refused for a list %s', async (_what, domain, problem) => {
    await expect(check(withRule(domain))).rejects.toMatchObject({
      code: 'CONFIG_REFUSED',
      message: `routing.rules[0].domain[1]: "${domain}": ${problem}`,
    });
  });
});

describe('sockets', () => {
  const endpoint = (path: string) => [{ kind: 'path' as const, tag: 'unix', path }];

  it("an inbound's socket needs a directory, and other files there are not touched", async () => {
    const path = join(scratch, 'none', 'in.sock');
    await expect(checkPorts(endpoint(path), [])).rejects.toMatchObject({
      code: 'START_FAILED',
      message: `inbound "unix": the directory ${scratch}/none of its socket does not exist`,
    });
    mkdirSync(join(scratch, 'none'));
    await expect(checkPorts(endpoint(path), [])).resolves.toBeUndefined();
    writeFileSync(`${path}.lock`, 'precious');
    await expect(checkPorts(endpoint(path), [])).rejects.toMatchObject({
      code: 'START_FAILED',
      message: `inbound "unix": ${path}.lock exists and is not an engine's`,
    });
  });
});
