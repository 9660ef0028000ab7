import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Enrolment, writeEnrolment } from '@rampart/node-client';
import { SettingsError } from '@rampart/program';
import { settingNames } from '@rampart/testing';
import { EnrolmentAuthority } from '../testing/enrolment-authority.js';
import { nodeHelp, readNodeEnv } from './node-env.js';

const RAMPART_API_KEY = 'the-key-of-the-tests';

function problemsOf(source: Record<string, string>): readonly string[] {
  try {
    readNodeEnv(source);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe(readNodeEnv.name, () => {
  it('the environment needs nothing but an API key', () => {
    expect({ ...readNodeEnv({ RAMPART_API_KEY }) }).toEqual({
      logLevel: 'info',
      logFormat: undefined,
      metricsPort: undefined,
      metricsHost: '127.0.0.1',
      metricsToken: undefined,
      apiKey: RAMPART_API_KEY,
      host: '0.0.0.0',
      port: 62_050,
      protocol: 'both',
      dataDir: './data/node',
      tlsCert: undefined,
      tlsClientCa: undefined,
      tlsKey: undefined,
      names: ['localhost', '127.0.0.1', '::1', hostname()],
      keySeconds: 20,
      maxSockets: 4096,
      maxKeylessSockets: 1024,
      maxKeylessPerAddress: 256,
      logReaders: 1024,
      trafficSeconds: 1,
      drainSeconds: 3600,
      probeNetworks: [],
      keepSeconds: 300,
      takesOver: false,
      cacheDir: `${homedir()}/.cache/rampart`,
      xrayExecutablePath: undefined,
      xrayLocationAsset: undefined,
      engineUser: '61080:61080',
      engineFiles: undefined,
      sysctl: true,
      searchPath: '',
      engineVariables: {},
    });
  });

  it('the settings of the service contain no secret', () => {
    const env = readNodeEnv({
      RAMPART_API_KEY,
      RAMPART_NODE_DATA_DIR: '/data',
      RAMPART_NODE_LOG_READERS: '3',
      RAMPART_NODE_TRAFFIC_SECONDS: '5',
      RAMPART_NODE_DRAIN_SECONDS: '600',
      RAMPART_NODE_KEEP_SECONDS: '60',
      RAMPART_NODE_TAKE_OVER: 'true',
      XDG_CACHE_HOME: '/cache',
      RAMPART_NODE_ENGINE_FILES: '5000',
      XRAY_EXECUTABLE_PATH: '/bin/xray',
      XRAY_LOCATION_ASSET: '/assets',
      PATH: '/bin:/usr/bin',
      HOME: '/home/node',
      ANOTHER_SECRET: 'x',
    });
    expect(env.settings).toEqual({
      dataDir: '/data',
      maxLogReaders: 3,
      drainIntervalMs: 5000,
      drainMs: 600_000,
      keepSeconds: 60,
      takesOver: true,
      setsKernel: true,
      probeNetworks: [],
      engine: {
        executablePath: '/bin/xray',
        account: { uid: 61_080, gid: 61_080 },
        files: 5000,
        searchPath: '/bin:/usr/bin',
        cacheDir: '/cache/rampart',
        environment: { HOME: '/home/node', XRAY_LOCATION_ASSET: '/assets' },
      },
    });
  });

  it('the environment may name a previous API key', () => {
    expect(readNodeEnv({ RAMPART_API_KEY }).apiKeys).toEqual([RAMPART_API_KEY]);
    const previous = 'the-key-before-this';
    const env = readNodeEnv({ RAMPART_API_KEY, RAMPART_API_KEY_PREVIOUS: previous });
    expect(env.apiKeys).toEqual([RAMPART_API_KEY, previous]);
  });

  it('an empty environment variable counts as not set', () => {
    expect(readNodeEnv({ RAMPART_API_KEY, RAMPART_NODE_PORT: '' }).port).toBe(62_050);
  });

  it.each(['9', '86401', '-1', 'x'])('%s seconds are no time for which an engine is kept', (seconds) => {
    expect(() => readNodeEnv({ RAMPART_API_KEY, RAMPART_NODE_KEEP_SECONDS: seconds })).toThrow(
      /RAMPART_NODE_KEEP_SECONDS must be 0, or a number from 10 to 86400/,
    );
  });

  it('all problems of the environment are listed at once, in the order of the settings table', () => {
    const source = {
      RAMPART_API_KEY: 'short',
      RAMPART_NODE_HOST: 'localhost',
      RAMPART_NODE_PORT: '65536',
      RAMPART_NODE_PROTOCOL: 'soap',
      RAMPART_NODE_TLS_CERT: 'cert.pem',
      RAMPART_NODE_NAMES: 'a b',
      RAMPART_NODE_LOG_READERS: '0',
    };
    const problems = [
      'RAMPART_API_KEY must have 16 to 256 characters, has 5',
      'RAMPART_NODE_HOST must be an IP address, such as 0.0.0.0 or ::',
      'RAMPART_NODE_PORT must be an integer from 0 to 65535',
      'RAMPART_NODE_PROTOCOL must be both, grpc or rest',
      'RAMPART_NODE_TLS_CERT needs RAMPART_NODE_TLS_KEY beside it',
      'RAMPART_NODE_TLS_KEY is required because RAMPART_NODE_TLS_CERT is set',
      'RAMPART_NODE_NAMES must be names and addresses with commas between',
      'RAMPART_NODE_LOG_READERS must be an integer from 1 to 65535',
    ];
    expect(problemsOf(source)).toEqual(problems);
    expect(() => readNodeEnv(source)).toThrow(`The settings are not right:\n  ${problems.join('\n  ')}`);
  });

  it.each([
    [{}, 'RAMPART_API_KEY is required without RAMPART_ENROLMENT, which "rampart node add NAME" of management prints'],
    [
      { RAMPART_API_KEY: '' },
      'RAMPART_API_KEY is required without RAMPART_ENROLMENT, which "rampart node add NAME" of management prints',
    ],
    [{ RAMPART_API_KEY: 'a key with a space' }, 'RAMPART_API_KEY must be printable ASCII without spaces'],
    [{ RAMPART_API_KEY: '00000000-0000-0000-0000-000000000000' }, 'RAMPART_API_KEY must not be the all-zero UUID'],
    [
      { RAMPART_API_KEY, RAMPART_API_KEY_PREVIOUS: 'short' },
      'RAMPART_API_KEY_PREVIOUS must have 16 to 256 characters, has 5',
    ],
    [
      { RAMPART_API_KEY, RAMPART_API_KEY_FILE: '/run/secrets/key' },
      'RAMPART_API_KEY_FILE must not be set beside RAMPART_API_KEY: set only one of them',
    ],
    [{ RAMPART_API_KEY, RAMPART_NODE_PORT: '0x10' }, 'RAMPART_NODE_PORT must be an integer from 0 to 65535'],
    [{ RAMPART_API_KEY, RAMPART_NODE_PORT: '-1' }, 'RAMPART_NODE_PORT must be an integer from 0 to 65535'],
    [{ RAMPART_API_KEY, RAMPART_NODE_NAMES: ' , ' }, 'RAMPART_NODE_NAMES must name at least one host'],
  ])('the environment %j is refused', (source, problem) =>
    expect(problemsOf(source as Record<string, string>)).toEqual([problem]),
  );
});

describe('readNodeEnv with an enrolment', () => {
  let enrolment: Enrolment;
  let RAMPART_ENROLMENT: string;
  beforeAll(async () => {
    enrolment = await (await EnrolmentAuthority.create()).enrol({ port: 8443, apiKey: 'the-key-of-the-enrolment' });
    RAMPART_ENROLMENT = writeEnrolment(enrolment);
  });

  it('the environment needs nothing but an enrolment', () => {
    const env = readNodeEnv({ RAMPART_ENROLMENT });
    expect([env.enrolment, env.apiKeys, env.port]).toEqual([enrolment, ['the-key-of-the-enrolment'], 8443]);
    expect(JSON.stringify(env.settings)).not.toContain('the-key-of-the-enrolment');
  });

  it('an enrolment may be in a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rampart-env-'));
    const file = join(folder, 'enrolment');
    await writeFile(file, `RAMPART_ENROLMENT=${RAMPART_ENROLMENT}\n`);
    const env = readNodeEnv({ RAMPART_ENROLMENT_FILE: file });
    await rm(folder, { recursive: true });
    expect([env.enrolment, env.apiKeys, env.port]).toEqual([enrolment, ['the-key-of-the-enrolment'], 8443]);
  });

  it('settings that say the same as the enrolment may stand beside it', () => {
    const same = { RAMPART_API_KEY: 'the-key-of-the-enrolment', RAMPART_NODE_PORT: '8443' };
    expect(readNodeEnv({ RAMPART_ENROLMENT, ...same }).port).toBe(8443);
  });

  it('settings that contradict the enrolment are refused by name', () => {
    const certificates =
      'must not be set beside RAMPART_ENROLMENT, which brings its own certificates: remove one of them';
    const source = {
      RAMPART_ENROLMENT,
      RAMPART_API_KEY,
      RAMPART_NODE_PORT: '62050',
      RAMPART_NODE_TLS_CERT: 'cert.pem',
      RAMPART_NODE_TLS_KEY: 'key.pem',
      RAMPART_NODE_TLS_CLIENT_CA: 'ca.pem',
    };
    expect(problemsOf(source)).toEqual([
      'RAMPART_API_KEY must not be set beside RAMPART_ENROLMENT, which brings another key: remove one of them',
      'RAMPART_NODE_PORT must not be set beside RAMPART_ENROLMENT, which brings the port 8443: remove one of them',
      `RAMPART_NODE_TLS_CERT ${certificates}`,
      `RAMPART_NODE_TLS_KEY ${certificates}`,
      `RAMPART_NODE_TLS_CLIENT_CA ${certificates}`,
    ]);
  });

  it('an enrolment that cannot be used is the only problem, and the error contains nothing of it', () => {
    const cut = RAMPART_ENROLMENT.slice(0, 500);
    expect(problemsOf({ RAMPART_ENROLMENT: cut })).toEqual([
      'RAMPART_ENROLMENT is cut off after 500 characters. Paste the whole value that management has shown for this ' +
        'node, or have it issue another one',
    ]);
  });
});

describe(nodeHelp.name, () => {
  it('the help text explains every setting, with its default', () => {
    const help = nodeHelp();
    expect(help).toContain(
      '  RAMPART_API_KEY               key that management sends; 16 to 256 characters, required without RAMPART_ENROLMENT\n',
    );
    expect(help).toContain('  RAMPART_NODE_PORT             port for REST and gRPC (default: 62050)\n');
    expect(help).toContain(
      '\nThe same goes for: RAMPART_NODE_METRICS_TOKEN, RAMPART_ENROLMENT, RAMPART_API_KEY, RAMPART_API_KEY_PREVIOUS.\n',
    );
    for (const name of ['RAMPART_NODE_TLS_CERT', 'RAMPART_NODE_NAMES', 'XRAY_EXECUTABLE_PATH', 'RAMPART_CACHE_DIR']) {
      expect(help).toContain(`  ${name} `);
    }
  });

  it('the help text names every setting that stands in the source of the settings', () => {
    const names = ['apps/node/src/env', 'libs/program/src/settings'].flatMap((folder) => settingNames(folder));
    expect(names).toContain('RAMPART_NODE_PORT');
    expect(names).toContain('RAMPART_LOG_LEVEL');
    for (const name of names) expect(nodeHelp()).toContain(`\n  ${name} `);
    expect(nodeHelp()).toContain('NO_COLOR=1 disables colours');
  });
});
