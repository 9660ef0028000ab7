import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { DEPLOY } from '../containers/host.js';
import { commandsOf, sectionsWithCommands, shellBlocks } from './page.js';

/** The tests that run the commands of a section. */
const RUN_BY: Readonly<Record<string, readonly string[]>> = {
  'Containers: one host': ['compose.e2e.spec.ts'],
  'Containers: a node on another host': ['compose.e2e.spec.ts'],
  'Without containers': ['systemd.e2e.spec.ts'],
  'The first user': ['compose.e2e.spec.ts', 'systemd.e2e.spec.ts'],
  'Several replicas': ['compose.e2e.spec.ts'],
  'The command line': ['systemd.e2e.spec.ts'],
  Nodes: ['systemd.e2e.spec.ts'],
  'What a node is believed': [],
  'A node with a certificate of its own': [],
  Backup: ['compose.e2e.spec.ts', 'systemd.e2e.spec.ts'],
  Restore: ['compose.e2e.spec.ts', 'systemd.e2e.spec.ts'],
  Upgrade: ['compose.e2e.spec.ts', 'systemd.e2e.spec.ts'],
  'Upgrade of a container without a cut connection': ['../node-upgrade.e2e.spec.ts'],
  'Metrics and alerts': ['systemd.e2e.spec.ts'],
  'Prometheus and Grafana': ['page.spec.ts'],
  Logs: ['systemd.e2e.spec.ts'],
};

/** Commands that are not run as they stand, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'docker compose pull': 'no image registry can be reached',
  'npm run tree -- management /opt/rampart/management-0.6.0': 'there is no newer version; its tree is a copy',
  'sysctl --system': 'the tests set the value for themselves',
  'docker update --restart no rampart-node': 'podman 4.3 cannot do it; the containers of the test have no policy',
  'journalctl --unit rampart-management --unit rampart-node | grep': 'logs.e2e.spec.ts finds the lines of a request',
  'rampart node add paris --line': 'enrolment.e2e.spec.ts does it with the line of a node',
  'rampart line ': 'enrolment.e2e.spec.ts reads the line of a node',
  'ssh paris rampart line | rampart node add paris --line -':
    'there is no other host; node-add.integration.spec.ts reads the line from standard input',
  'rampart node disable oslo': 'node-commands.integration.spec.ts disables a node',
  'rampart node revert-usage oslo': 'node-commands.integration.spec.ts takes the usage of a node back',
  'prometheus --config.file=prometheus.yml': 'metrics.e2e.spec.ts runs Prometheus with these alert rules',
};

interface Dashboard {
  readonly templating: { readonly list: readonly object[] };
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly datasource: object;
    readonly targets: readonly object[];
    readonly gridPos: { readonly x: number; readonly w: number };
  }[];
}

const hasPromtool = spawnSync('promtool', ['--version'], { stdio: 'ignore' }).error === undefined;
const folder = mkdtempSync(join(tmpdir(), 'rampart-page-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('docs/operators.md', () => {
  it('every section with commands names the tests that run them, and these tests read it', () => {
    expect(sectionsWithCommands()).toEqual(Object.keys(RUN_BY));
    for (const [heading, files] of Object.entries(RUN_BY))
      for (const file of files) expect(readFileSync(join(import.meta.dirname, file), 'utf8')).toContain(`'${heading}'`);
  });

  it('what no test runs as it stands is on the page, and is listed with its reason', () => {
    const commands = sectionsWithCommands().flatMap(shellBlocks).join('');
    for (const command of Object.keys(NOT_RUN)) expect(commands).toContain(command);
  });

  (hasPromtool ? it : it.skip)(
    'the configuration and the alert rules of Prometheus are checked by the commands of the page (needs promtool)',
    () => {
      cpSync(DEPLOY, join(folder, 'deploy'), { recursive: true });
      for (const program of ['management', 'node'])
        writeFileSync(join(folder, 'deploy/prometheus', `${program}.token`), 'a-token\n');
      const [commands = '', ...more] = commandsOf('Prometheus and Grafana', {
        'prometheus --config.file=prometheus.yml\n': '',
      });
      expect(more).toEqual([]);
      // Bash reads the settings of interactive shells where its input is a socket, and those use variables that are not set.
      const options = ['--norc', '-euc', commands];
      const { status, stdout, stderr } = spawnSync('bash', options, { cwd: folder, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout.match(/SUCCESS/g)).toHaveLength(4);
    },
  );

  it('the dashboard has what the import of Grafana needs: no id of another installation, a choice of the data source, distinct panels', () => {
    const { panels, ...dashboard } = JSON.parse(
      readFileSync(join(DEPLOY, 'grafana/rampart.json'), 'utf8'),
    ) as Dashboard;
    expect(dashboard).not.toHaveProperty('id');
    expect(dashboard).toMatchObject({ uid: 'rampart', title: 'Rampart', schemaVersion: expect.any(Number) });
    expect(dashboard.templating.list).toMatchObject([{ name: 'datasource', type: 'datasource', query: 'prometheus' }]);
    const ids = panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const graphs = panels.filter(({ type }) => type !== 'row');
    expect(graphs.length).toBeGreaterThan(10);
    for (const { datasource, targets, gridPos } of graphs) {
      expect(datasource).toEqual({ type: 'prometheus', uid: '$' + '{datasource}' });
      expect(targets.length).toBeGreaterThan(0);
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    }
  });
});
