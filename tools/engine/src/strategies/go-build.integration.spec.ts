import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { programs } from '../programs.js';
import type { InstallContext } from '../strategy.js';
import { fakeProgram } from '../testing/fake-program.js';
import { Sandbox, silentReporter } from '../testing/sandbox.js';
import { buildArguments, goBuildStrategy } from './go-build.js';

/** A fake `go` that writes its folder and arguments to $NOTES, and $CONTENT to the file after "-o". */
const workingGo = `#!/bin/sh
printf '%s\\n' "$PWD" "$GOWORK" "$@" > "$NOTES"
while [ "$1" != -o ]; do shift; done
printf '%s' "$CONTENT" > "$2"
`;

describe(goBuildStrategy.name, () => {
  let sandbox: Sandbox;
  let notes: string;

  beforeEach(async () => {
    sandbox = await Sandbox.create();
    notes = join(sandbox.folder, 'notes');
  });

  afterEach(() => sandbox.remove());

  const find = (more: Partial<InstallContext> = {}, content = fakeProgram('mihomo')) =>
    goBuildStrategy.find(programs.mihomo, {
      cacheFolder: sandbox.cache,
      platform: 'linux-x64',
      reporter: silentReporter,
      transfer: { answerMs: 1, stallMs: 1 },
      site: { downloads: '', api: '' },
      signal: undefined,
      ...more,
      env: { PATH: sandbox.bin, NOTES: notes, CONTENT: content, ...more.env },
    });

  it('go builds inside the module that pins the program, and does not touch go.sum', async () => {
    await sandbox.place('go', workingGo);
    expect(await find()).toEqual({ path: sandbox.cached('mihomo'), version: '1.19.29' });
    const [folder, work, ...args] = (await readFile(notes, 'utf8')).trimEnd().split('\n');
    expect(folder).toBe(fileURLToPath(new URL('../../mihomo', import.meta.url)));
    expect(work).toBe('off');
    const out = args[args.indexOf('-o') + 1] ?? '';
    expect(out.startsWith(join(sandbox.cache, 'engine/.mihomo-'))).toBe(true);
    expect(args).toEqual(buildArguments(programs.mihomo, out));
  });

  it.each([
    ['xray', 'build -mod=readonly -trimpath -ldflags -s -w -o OUT github.com/xtls/xray-core/main'],
    [
      'sing-box-1.11',
      'build -mod=readonly -trimpath -tags with_utls,with_quic,with_grpc,with_gvisor,with_clash_api,with_ech,with_reality_server ' +
        '-ldflags -s -w -X github.com/sagernet/sing-box/constant.Version=1.11.15 -o OUT github.com/sagernet/sing-box/cmd/sing-box',
    ],
  ] as const)('the arguments of go for %s', (name, expected) => {
    expect(buildArguments(programs[name], 'OUT').join(' ')).toBe(expected);
  });

  it('a machine without go is an error', async () => {
    await expect(find()).rejects.toThrow(new Error('go is not on PATH'));
  });

  it('the error of a failed build shows the last lines of its output', async () => {
    await sandbox.place('go', '#!/bin/sh\nfor i in 1 2 3 4 5 6 7 8 9; do echo "line $i" >&2; done\nexit 2\n');
    await expect(find()).rejects.toThrow(
      new Error('go build ended with exit code 2: line 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9'),
    );
    expect(await sandbox.cacheEntries()).toEqual([]);
  });

  it('a built program of another version is refused', async () => {
    await sandbox.place('go', workingGo);
    await expect(find({}, fakeProgram('mihomo', '1.19.28'))).rejects.toThrow('is version 1.19.28, not 1.19.29');
    expect(await sandbox.cacheEntries()).toEqual([]);
  });

  it('a build reports its seconds, and go ends when the build is aborted', async () => {
    await sandbox.place('go', '#!/bin/sh\nexec /bin/sleep 60\n');
    const interruption = new AbortController();
    const heard: string[] = [];
    const seconds = (activity: string, value: number) => {
      heard.push(`${activity} ${value}`);
      interruption.abort();
    };
    const build = find({ reporter: { ...silentReporter, seconds }, signal: interruption.signal });
    await expect(build).rejects.toMatchObject({ name: 'AbortError' });
    expect(heard).toEqual(['building mihomo 1']);
    expect(await sandbox.cacheEntries()).toEqual([]);
  });
});
