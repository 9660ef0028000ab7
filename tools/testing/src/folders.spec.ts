import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { canMount } from './breakable-disk.js';
import { scratchFolder } from './scratch.js';

const FOLDERS = fileURLToPath(new URL('../jest/folders.mjs', import.meta.url));

describe('the folders for temporary files', () => {
  /** Runs code in a process of its own, as that of a jest worker is, with this folder as that of the system. */
  const work = (temporary: string, code: string): void => {
    const script = `import { emptyFolders, foldersOfWorker } from ${JSON.stringify(FOLDERS)};
      import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
      const { own, memory } = foldersOfWorker();
      ${code}`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  };

  it('belong to the process whose tests run, and every account may use them', () => {
    for (const folder of [tmpdir(), scratchFolder()]) {
      expect(basename(folder)).toMatch(new RegExp(`^rampart-${process.pid}-\\w{6}$`));
      expect(statSync(folder).mode & 0o7777).toBe(0o1777);
    }
    expect(process.env['TMPDIR']).toBe(tmpdir());
  });

  it('are empty after a test file that has left something, and gone after the process', () => {
    const temporary = mkdtempSync(join(tmpdir(), 'system-'));
    work(
      temporary,
      `for (const folder of [own, memory ?? own]) writeFileSync(mkdtempSync(folder + '/left-') + '/file', '');
       emptyFolders();
       for (const folder of [own, memory ?? own]) if (readdirSync(folder).length > 0) throw new Error('not empty');
       writeFileSync(own + '/left', '');`,
    );
    expect(readdirSync(temporary)).toEqual([]);
  });

  (canMount() ? it : it.skip)('keep what somebody has mounted in them', () => {
    const temporary = mkdtempSync(join(tmpdir(), 'system-'));
    // No process has this number.
    const folder = join(temporary, 'rampart-9999999-AbCdEf');
    const script = `mkdir -p $0/mounted && mount -t tmpfs none $0/mounted && touch $0/mounted/file
      "$1" --input-type=module --eval "import { foldersOfWorker } from '$2'; foldersOfWorker()" && ls $0/mounted`;
    const left = execFileSync('unshare', ['-m', 'sh', '-ec', script, folder, process.execPath, FOLDERS], {
      env: { ...process.env, TMPDIR: temporary },
      encoding: 'utf8',
    });
    expect(left).toBe('file\n');
    work(temporary, '');
    expect(existsSync(folder)).toBe(false);
  });

  it('of a process that was killed are removed by the next one, and no others', () => {
    const temporary = mkdtempSync(join(tmpdir(), 'system-'));
    expect(() => work(temporary, `writeFileSync(own + '/left', ''); process.kill(process.pid, 'SIGKILL');`)).toThrow();
    expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^rampart-\d+-\w{6}$/)]);
    const others = [`rampart-${process.pid}-AbCdEf`, 'rampart-0123456789ab-AbCdEf', 'rampart-node-AbCdEf'];
    for (const name of others) mkdirSync(join(temporary, name));
    work(temporary, '');
    expect(readdirSync(temporary).sort()).toEqual(others.sort());
  });
});

describe('the template of a cluster', () => {
  it('goes when nobody has used it for an hour and another one is made', async () => {
    const temporary = mkdtempSync(join(tmpdir(), 'system-'));
    const symbol = Symbol.for('rampart.test.folders');
    const before = Reflect.get(globalThis, symbol);
    Reflect.set(globalThis, symbol, { temporary });
    const { ClusterTemplate } = await import('./cluster-template.js');
    Reflect.set(globalThis, symbol, before);
    const code = (text: string): string => {
      const folder = mkdtempSync(join(tmpdir(), 'code-'));
      writeFileSync(join(folder, 'tables.ts'), text);
      return folder;
    };
    const make = (text: string) => {
      const template = new ClusterTemplate(code(text), () => true);
      expect(template.isMade).toBe(false);
      template.finish(template.begin());
      expect(template.isMade).toBe(true);
      return template;
    };
    const [unused, used] = [make('one'), make('two')];
    expect(dirname(unused.path).startsWith(temporary)).toBe(true);
    const past = new Date(Date.now() - 3_601_000);
    for (const { path } of [unused, used]) utimesSync(path, past, past);
    expect(used.isMade).toBe(true);
    const latest = make('three');
    expect([unused, used, latest].map(({ path }) => existsSync(path))).toEqual([false, true, true]);
  });
});
