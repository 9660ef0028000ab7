import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { enginePath, engineVersion } from '@rampart/testing';
import { enginePids } from '../../../testing/engine-pids.js';
import { PINNED_VERSION } from '../executable/engine-version.js';
import { locateEngine } from '../executable/locate-engine.js';
import { checkPorts, removeStaleSockets } from '../preflight/check-ports.js';
import { abstractPathOf } from '../preflight/testing/abstract-path.js';
import { parentDeathWrapper } from '../rights/parent-death-wrapper.js';
import { endOrphanedEngines, OWNER_VARIABLE } from './orphaned-engines.js';
import { clearRunDirectories, createRunDirectory } from './run-directory.js';

const scratch = mkdtempSync(join(tmpdir(), 'rampart-process-'));
const children: ChildProcess[] = [];

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true });
});

const PROGRAM = 'setInterval(() => {}, 1000); console.log("up")';

/** A process that runs until it is ended. */
async function sleeper(environment: NodeJS.ProcessEnv = {}): Promise<{ child: ChildProcess; pid: number }> {
  const child = spawn(process.execPath, ['-e', PROGRAM], { env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  await once(child.stdout, 'data');
  return { child, pid: child.pid ?? 0 };
}

const startTimeOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];

describe(endOrphanedEngines.name, () => {
  it('orphaned engines of a dead node of the same data directory are ended, and no others', async () => {
    const [orphan, stranger] = [
      await sleeper({ [OWNER_VARIABLE]: '1:1:/data/a' }),
      await sleeper({ [OWNER_VARIABLE]: '1:1:/data/b' }),
    ];
    const ended = once(orphan.child, 'exit');
    await endOrphanedEngines('/data/a');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(stranger.child.signalCode).toBeNull();
  });

  it('spares engines of this process', async () => {
    const own = await sleeper({ [OWNER_VARIABLE]: `${process.pid}:${startTimeOf(process.pid)}:/data/c` });
    await endOrphanedEngines('/data/c');
    expect(own.child.signalCode).toBeNull();
  });

  it('an engine of an earlier process with the same process id is an orphan and is ended', async () => {
    const orphan = await sleeper({ [OWNER_VARIABLE]: `${process.pid}:1:/data/e` });
    const ended = once(orphan.child, 'exit');
    await endOrphanedEngines('/data/e');
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  const contained = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child'];
  const canContain = spawnSync('unshare', [...contained, 'true']).status === 0;

  (canContain ? it : it.skip)('engines that run in a container are left alone', async () => {
    const args = [...contained, 'env', `${OWNER_VARIABLE}=1:1:/data/f`, process.execPath, '-e', PROGRAM];
    const container = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    children.push(container);
    await once(container.stdout, 'data');
    await endOrphanedEngines('/data/f');
    expect(await enginePids('/data/f')).toHaveLength(1);
  });

  it('an engine of a living node with the same data directory is an error', async () => {
    const node = await sleeper();
    await sleeper({ [OWNER_VARIABLE]: `${node.pid}:${startTimeOf(node.pid)}:/data/d` });
    await expect(endOrphanedEngines('/data/d')).rejects.toMatchObject({
      code: 'START_FAILED',
      message: `another node (process ${node.pid}) runs an engine for /data/d`,
    });
  });
});

describe(parentDeathWrapper.name, () => {
  it('the parent-death wrapper ends its program with its parent', async () => {
    const wrapper = await parentDeathWrapper(process.env['PATH'] ?? '');
    expect(wrapper.slice(1)).toEqual(['--pdeathsig', 'KILL']);
    const program = `
      const { spawn } = require('node:child_process');
      const [command, ...args] = ${JSON.stringify([...wrapper, process.execPath])};
      const child = spawn(command, [...args, '-e', 'console.log(process.pid); setInterval(() => {}, 1000)'], { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
    children.push(parent);
    const [pid] = await once(parent.stdout, 'data');
    expect(() => process.kill(Number(pid), 0)).not.toThrow();
    const gone = once(parent.stdout, 'close');
    parent.kill('SIGKILL');
    // The child holds the other end of the pipe, which closes when the child has ended.
    await gone;
  });

  it('the parent-death wrapper is empty where there is no setpriv', async () => {
    expect(await parentDeathWrapper('/nowhere')).toEqual([]);
  });
});

describe(locateEngine.name, () => {
  const elsewhere = { searchPath: '/nowhere', cacheDir: '/nowhere', environment: {} };

  it('the configured engine is used, or else the pinned version in PATH', async () => {
    const [own, folder] = [enginePath(), mkdtempSync(join(scratch, 'path-'))];
    const named = await locateEngine({ ...elsewhere, executablePath: own });
    expect(named).toEqual({ path: own, version: engineVersion() });
    const path = join(folder, 'xray');
    writeFileSync(path, `#!/bin/sh\necho "Xray ${PINNED_VERSION} (pinned)"\n`, { mode: 0o755 });
    const searchPath = `/nowhere:${folder}`;
    expect(await locateEngine({ ...elsewhere, searchPath })).toEqual({ path, version: PINNED_VERSION });
  });

  it('an engine of another version in PATH is not used', async () => {
    const old = join(scratch, 'xray');
    writeFileSync(old, '#!/bin/sh\necho "Xray 1.8.0 (old)"\n', { mode: 0o755 });
    await expect(locateEngine({ ...elsewhere, searchPath: scratch })).rejects.toMatchObject({
      code: 'START_FAILED',
      message: expect.stringContaining(
        `${old} in PATH is 1.8.0 instead of 26.3.27; name it in XRAY_EXECUTABLE_PATH to use it all the same`,
      ),
    });
  });
});

describe(checkPorts.name, () => {
  const path = join(scratch, 'in.sock');
  const endpoint = { kind: 'path' as const, tag: 'unix', path };

  it("an inbound's unix path in use is named, and one that was left behind is removed", async () => {
    const server = createServer().listen(path);
    await once(server, 'listening');
    await expect(checkPorts([endpoint], [])).rejects.toMatchObject({
      code: 'START_FAILED',
      message: `inbound "unix": ${path} is taken by another program`,
    });
    await expect(checkPorts([endpoint], [endpoint])).resolves.toBeUndefined();
    await removeStaleSockets([endpoint]);
    expect(statSync(path).isSocket()).toBe(true);
    server.close();

    const program = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    await once(spawn(process.execPath, ['-e', program]), 'exit');
    expect(statSync(path).isSocket()).toBe(true);
    await removeStaleSockets([endpoint]);
    expect(() => statSync(path)).toThrow('ENOENT');
  });

  it("an inbound's abstract path in use is named, although it has no file", async () => {
    const name = `rampart-ports-${process.pid}`;
    const server = createServer().listen(`\0${name}`);
    await once(server, 'listening');
    const abstract = { ...endpoint, path: abstractPathOf(name) };
    await expect(checkPorts([abstract], [])).rejects.toMatchObject({
      code: 'START_FAILED',
      message: `inbound "unix": ${abstract.path} is taken by another program`,
    });
    await expect(checkPorts([abstract], [abstract])).resolves.toBeUndefined();
    server.close();
    await expect(checkPorts([abstract], [])).resolves.toBeUndefined();
  });

  it.each(['tcp', 'udp'] as const)(
    "an inbound's %s port in use is named, unless the own engine listens on it",
    async (transport) => {
      const holder =
        transport === 'tcp' ? createServer().listen(0, '127.0.0.1') : createSocket('udp4').bind(0, '127.0.0.1');
      await once(holder, 'listening');
      const { port } = holder.address() as AddressInfo;
      const range = { kind: 'port' as const, tag: 'in', host: '127.0.0.1', first: port - 1, last: port + 1, transport };
      const [one, other] = [
        { ...range, first: port, last: port },
        transport === 'tcp' ? ('udp' as const) : ('tcp' as const),
      ];
      await expect(checkPorts([one], [range])).resolves.toBeUndefined();
      await expect(checkPorts([one], [{ ...range, transport: other }])).rejects.toMatchObject({
        code: 'START_FAILED',
        message: `inbound "in": ${transport} port ${port} on 127.0.0.1 is taken by another program`,
      });
      holder.close();
    },
  );

  it("an inbound's address that the machine does not have is named", async () => {
    const foreign = {
      kind: 'port' as const,
      tag: 'in',
      host: '192.0.2.1',
      first: 1080,
      last: 1080,
      transport: 'tcp' as const,
    };
    await expect(checkPorts([foreign], [])).rejects.toMatchObject({
      code: 'START_FAILED',
      message: 'inbound "in": tcp port 1080 on 192.0.2.1: this machine does not have that address',
    });
  });
});

describe(createRunDirectory.name, () => {
  const deep = join(scratch, 'x'.repeat(100));

  it.each([scratch, deep])('a run directory is private, and short enough for a socket: %s', async (dataDir) => {
    const left = await createRunDirectory(dataDir);
    expect(statSync(left).mode & 0o777).toBe(0o700);
    expect(join(left, 'api.sock').length).toBeLessThanOrEqual(107);
    await clearRunDirectories(`${dataDir}-of-another`);
    expect(existsSync(left)).toBe(true);
    await clearRunDirectories(dataDir);
    expect(existsSync(left)).toBe(false);
  });

  it('a run directory is temporary where the data directory is not writable', async () => {
    const file = join(scratch, 'file');
    writeFileSync(file, '');
    await clearRunDirectories(file);
    const left = await createRunDirectory(file);
    expect(left).toMatch(new RegExp(`^${tmpdir()}/rampart-[0-9a-f]{12}-`));
    expect(statSync(left).mode & 0o777).toBe(0o700);
    await clearRunDirectories(file);
    expect(existsSync(left)).toBe(false);
  });
});
