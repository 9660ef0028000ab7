import { homedir, hostname } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { SettingsError } from '@rampart/program';
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

describe('readNodeEnv', () => {
  it('the environment needs nothing but an API key', () => {
    expect({ ...readNodeEnv({ RAMPART_API_KEY }) }).toEqual({
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
      trafficSeconds: 2,
      drainSeconds: 3600,
      cacheDir: `${homedir()}/.cache/rampart`,
      xrayExecutablePath: undefined,
      xrayLocationAsset: undefined,
      engineUser: '61080:61080',
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
      XDG_CACHE_HOME: '/cache',
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
      setsKernel: true,
      engine: {
        executablePath: '/bin/xray',
        account: { uid: 61_080, gid: 61_080 },
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
    [{}, 'RAMPART_API_KEY is required'],
    [{ RAMPART_API_KEY: '' }, 'RAMPART_API_KEY is required'],
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

describe('nodeHelp', () => {
  it('the help text explains every setting, with its default', () => {
    const help = nodeHelp();
    expect(help).toContain(
      '  RAMPART_API_KEY               key that management sends; 16 to 256 characters, required\n',
    );
    expect(help).toContain('  RAMPART_NODE_PORT             port for REST and gRPC (default: 62050)\n');
    expect(help).toContain('\nThe same goes for: RAMPART_API_KEY, RAMPART_API_KEY_PREVIOUS.\n');
    for (const name of ['RAMPART_NODE_TLS_CERT', 'RAMPART_NODE_NAMES', 'XRAY_EXECUTABLE_PATH', 'RAMPART_CACHE_DIR']) {
      expect(help).toContain(`  ${name} `);
    }
  });
});
