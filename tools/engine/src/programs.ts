/** The programs that Rampart installs, each pinned to one version: the engine, and the clients that the tests use. */
export type ProgramName = 'xray' | 'sing-box' | 'sing-box-1.11' | 'mihomo';

/** `process.platform` and `process.arch`, joined by a hyphen. */
export type Platform = 'linux-x64' | 'linux-arm64' | 'darwin-x64' | 'darwin-arm64';

export interface Program {
  name: ProgramName;
  /** File name of the program on PATH, in the cache and in the release archive. */
  executable: string;
  version: string;
  /** Environment variable that names another executable to use. */
  variable: string;
  /** Arguments that print the version, and a pattern whose first group is the version number. */
  ask: { args: string[]; pattern: RegExp };
  release: {
    /** GitHub `owner/name`; the tag is `v` + version. */
    repository: string;
    format: 'zip' | 'tar.gz' | 'gz';
    assets: Record<Platform, string>;
    /** Where the SHA-256 is published: a `.dgst` file beside the archive, or the asset's `digest` in GitHub's release API. */
    sum: 'dgst' | 'api';
  };
  /** A folder beside `src` with go.mod and go.sum, and the arguments of `go build` in it. */
  go: { folder: string; package: string; tags: string[]; linkerFlags: string[] };
}

const clientTags = ['with_utls', 'with_quic', 'with_grpc', 'with_gvisor', 'with_clash_api'];

function singBox(options: { name: ProgramName; version: string; variable: string; tags: string[] }): Program {
  const { name, version, variable, tags } = options;
  const asset = (platform: string) => `sing-box-${version}-${platform}.tar.gz`;
  return {
    name,
    executable: 'sing-box',
    version,
    variable,
    ask: { args: ['version'], pattern: /^sing-box version (\S+)/ },
    release: {
      repository: 'SagerNet/sing-box',
      format: 'tar.gz',
      assets: {
        'linux-x64': asset('linux-amd64'),
        'linux-arm64': asset('linux-arm64'),
        'darwin-x64': asset('darwin-amd64'),
        'darwin-arm64': asset('darwin-arm64'),
      },
      sum: 'api',
    },
    go: {
      folder: name,
      package: 'github.com/sagernet/sing-box/cmd/sing-box',
      tags,
      linkerFlags: ['-X', `github.com/sagernet/sing-box/constant.Version=${version}`],
    },
  };
}

export const programs: Record<ProgramName, Program> = {
  xray: {
    name: 'xray',
    executable: 'xray',
    version: '26.3.27',
    variable: 'XRAY_EXECUTABLE_PATH',
    ask: { args: ['version'], pattern: /^Xray (\S+)/ },
    release: {
      repository: 'XTLS/Xray-core',
      format: 'zip',
      assets: {
        'linux-x64': 'Xray-linux-64.zip',
        'linux-arm64': 'Xray-linux-arm64-v8a.zip',
        'darwin-x64': 'Xray-macos-64.zip',
        'darwin-arm64': 'Xray-macos-arm64-v8a.zip',
      },
      sum: 'dgst',
    },
    go: { folder: 'xray', package: 'github.com/xtls/xray-core/main', tags: [], linkerFlags: [] },
  },
  'sing-box': singBox({
    name: 'sing-box',
    version: '1.14.1',
    variable: 'SING_BOX_EXECUTABLE_PATH',
    tags: clientTags,
  }),
  'sing-box-1.11': singBox({
    name: 'sing-box-1.11',
    version: '1.11.15',
    variable: 'SING_BOX_1_11_EXECUTABLE_PATH',
    tags: [...clientTags, 'with_ech', 'with_reality_server'],
  }),
  mihomo: {
    name: 'mihomo',
    executable: 'mihomo',
    version: '1.19.29',
    variable: 'MIHOMO_EXECUTABLE_PATH',
    ask: { args: ['-v'], pattern: /^Mihomo Meta v?(\S+)/ },
    release: {
      repository: 'MetaCubeX/mihomo',
      format: 'gz',
      assets: {
        // The plain "amd64" archive needs an x86-64-v3 processor.
        'linux-x64': 'mihomo-linux-amd64-v1-v1.19.29.gz',
        'linux-arm64': 'mihomo-linux-arm64-v1.19.29.gz',
        'darwin-x64': 'mihomo-darwin-amd64-v1-v1.19.29.gz',
        'darwin-arm64': 'mihomo-darwin-arm64-v1.19.29.gz',
      },
      sum: 'api',
    },
    go: {
      folder: 'mihomo',
      package: 'github.com/metacubex/mihomo',
      tags: ['with_gvisor'],
      linkerFlags: ['-X', 'github.com/metacubex/mihomo/constant.Version=v1.19.29'],
    },
  },
};

export const programNames = Object.values(programs).map(({ name }) => name);
