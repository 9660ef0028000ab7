import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@rampart/testing';
import { Podman, whyNoContainers } from '../containers/podman.js';
import { commandsOf } from './page.js';
import { Server } from './server.js';

/** The first run on a machine downloads the packages of a server. */
jest.setTimeout(600_000);

const REPOSITORY = join(import.meta.dirname, '../../../..');
const CORE = JSON.stringify({
  inbounds: [{ tag: 'in', port: 1081, protocol: 'vless', settings: { decryption: 'none' } }],
  outbounds: [{ tag: 'direct', protocol: 'freedom' }],
});

const reason = whyNoContainers();

(reason === undefined ? describe : describe.skip)(
  `docs/operators.md on a server with systemd${reason === undefined ? '' : ` (${reason})`}`,
  () => {
    const root = mkdtempSync(join(tmpdir(), 'rampart-server-'));
    const programs = join(root, 'opt');
    let podman: Podman;
    let server: Server;
    let link: string;

    const run = (code: string): Promise<string> => server.shell.run(code);

    const doctorIsContent = (command: string) =>
      eventually(
        `${command} finds nothing wrong`,
        async (saw) => / 0 wrong$/.test(saw(await run(`${command} || true`))),
        60_000,
      ).catch(async (error: unknown) => {
        throw new Error(`${String(error)}\n${await run(`${command} 2>&1 || true; journalctl --no-pager --lines 40`)}`);
      });

    beforeAll(async () => {
      podman = await Podman.configure();
      server = await Server.start(podman, `rampart-server-${process.pid}`, programs);
    });

    afterAll(async () => {
      await server?.stop();
      await podman?.close();
      rmSync(root, { recursive: true, force: true });
    });

    it('management and a node are installed by the commands of "Without containers", and doctor is content with both', async () => {
      const [trees = '', install = '', add = '', installNode = '', doctor = '', ...more] = commandsOf(
        'Without containers',
        {
          'https://panel.example.com': 'http://127.0.0.1:8000',
          '198.51.100.7': '127.0.0.1',
          'PASSWORD=…': 'PASSWORD=a long password of the operator',
        },
      );
      expect(more).toEqual([]);
      // The clone and its npm are on this machine, the folder is one of the server's.
      expect(trees).toMatch(
        /^npm run tree -- management \/opt\/rampart\/\S+\nnpm run tree -- node \/opt\/rampart\/\S+\n$/,
      );
      const written = trees.replaceAll('/opt/rampart', programs);
      await promisify(execFile)('bash', ['-ec', written], { cwd: REPOSITORY });
      await run(install);
      await doctorIsContent('rampart doctor');
      const enrolment = /^RAMPART_ENROLMENT=\S+$/m.exec(await run(add))?.[0] ?? '';
      const placeholder = 'RAMPART_ENROLMENT=rampart-enrolment-1.…';
      expect(installNode).toContain(placeholder);
      await run(installNode.replace(placeholder, enrolment));
      await doctorIsContent(doctor.trim());
      await doctorIsContent('rampart doctor');
      expect(await run('rampart node list')).toMatch(/^1 +frankfurt +127\.0\.0\.1:62050 +connected/m);
    });

    it('the first user and every command of "The command line" work with the command of the server', async () => {
      const [, first = '', ...more] = commandsOf('The first user');
      expect(more).toEqual([]);
      link = /https?:\/\/\S+\/sub\/\S+$/m.exec(await run(first))?.[0] ?? '';
      await run(`printf '%s' '${CORE}' > /root/core.json`);
      const [commands = '', socket = '', ...others] = commandsOf('The command line', {
        // A new node has said less than 50 lines, and the command would wait for more.
        '--lines 50': '--lines 1',
        '< core.json': '< /root/core.json',
      });
      expect(others).toEqual([]);
      expect(await run(commands)).toContain('Created the sudo admin anna');
      expect(JSON.parse((await run(socket)).replace(/^[^[{]*/s, '').replace(/[^\]}]*$/s, ''))).toBeTruthy();
      expect(await run(`curl -sS --output /dev/null --write-out "%{http_code}" ${link}/links`)).toBe('200');
    });

    it('metrics, health and logs are read by the commands of "Metrics and alerts" and "Logs"', async () => {
      await run("printf 'a-token-for-metrics' > /root/management.token");
      await run('install -m 0644 /root/management.token /etc/rampart/management.token');
      await run(
        `printf '%s\\n' RAMPART_METRICS_PORT=9464 RAMPART_METRICS_TOKEN_FILE=/etc/rampart/management.token >> /etc/rampart/management.env`,
      );
      await run('systemctl restart rampart-management && cd /root');
      await eventually(
        'management is up',
        async (saw) => saw(await run('curl -sf http://127.0.0.1:9464/health/ready || true')) !== '',
        30_000,
      );
      const [read = '', ...more] = commandsOf('Metrics and alerts');
      expect(more).toEqual([]);
      const printed = await run(read);
      expect(printed).toContain('rampart_users{status="active"} ');
      expect(printed).toContain('"coordination":{"status":"ok"}');
      const [log = ''] = commandsOf('Logs');
      const [ask = ''] = log.split(/^(?=journalctl)/m);
      expect(await run(ask)).toMatch(/^x-request-id: [0-9a-f-]{36}/m);
    });

    it('a backup by each command of "Backup" is written, and "Restore" brings back the same link on an empty server', async () => {
      await run('install -d -o rampart /backups && cd /root');
      const passphrase = 'correct horse battery staple';
      const isForServers = (code: string) => !code.includes('docker compose');
      const typed = {
        'rampart backup /backups/rampart.age ': `echo ${passphrase} | rampart backup /backups/rampart.age `,
      };
      const [asking = '', ...more] = commandsOf('Backup', typed).filter(isForServers);
      const made = await run(asking);
      expect(made).toMatch(/Backed up 1 users, \d+ rows of \d+ tables, into \/backups\/rampart\.age/);
      const fingerprint = /Signed by ([\da-f-]+)/.exec(made)?.[1] ?? '';
      expect(more).toHaveLength(1);
      // The other machine is a folder of this one.
      await run(`ssh() { shift; mkdir -p /root/backups && (cd /root/backups && sh -c "$*"); }`);
      const [generate = '', rest = ''] = (more[0] ?? '').split(/(?<=^age-keygen.*\n)/m);
      const recipient = /age1\w+/.exec(await run(generate))?.[0] ?? '';
      const decrypt = { 'age1…': recipient, ' rampart.age | gunzip': ' backups/rampart.age | gunzip' };
      const commands = Object.entries(decrypt).reduce((code, [from, to]) => {
        expect(code).toContain(from);
        return code.replaceAll(from, to);
      }, rest);
      expect(await run(commands)).toContain('rampart');

      const [restore = ''] = commandsOf('Restore', {
        'rampart restore /backups/rampart.age ': `echo ${passphrase} | rampart restore /backups/rampart.age --accept-fingerprint ${fingerprint} `,
      }).filter(isForServers);
      const [stop = '', fill = '', start = ''] = restore.split(/^(?=echo|systemctl start)/m);
      await run(stop);
      await run('rm -r /var/lib/rampart-management/*');
      expect(await run(fill)).toContain('Restored the backup:');
      await run(start);
      await doctorIsContent('rampart doctor');
      expect(await run(`curl -sS --output /dev/null --write-out '%{http_code}' ${link}/links`)).toBe('200');
    });

    it('nodes are added and enrolled anew by the commands of "Nodes", and an upgrade switches the link', async () => {
      const [add = '', ...more] = commandsOf('Nodes');
      expect((await run(add)).match(/^RAMPART_ENROLMENT=rampart-enrolment-1\./gm)).toHaveLength(2);
      for (const code of more) expect(await run(code)).toContain('RAMPART_ENROLMENT=');
      const [upgrade = '', ...others] = commandsOf('Upgrade').filter((code) => code.includes('systemctl'));
      expect(others).toEqual([]);
      // The tree of the newer version is a copy of this one.
      const [tree = '', rest = ''] = upgrade.split(/(?<=^npm run tree.*\n)/m);
      const folder = /\/opt\/rampart\/\S+/.exec(tree)?.[0] ?? '';
      await run(`cp -r /opt/rampart/management-0.5.0 ${folder}`);
      await run(rest);
      expect(await run('readlink /opt/rampart/management')).toBe(folder.slice('/opt/rampart/'.length));
      await eventually(
        'management is up',
        async (saw) => saw(await run('curl -sf http://127.0.0.1:8000/health/ready || true')) !== '',
        30_000,
      );
    });
  },
);
