import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { alertNames, PROMTOOL, promtool, RULES, withShortDurations } from './testing/prometheus.js';

(PROMTOOL ? describe : describe.skip)('the alert rules of deploy/prometheus (needs Debian package prometheus)', () => {
  it('promtool finds no problem in the rules and in the example configuration', async () => {
    expect(await promtool('check', 'rules', 'alerts.yml')).toMatch(/SUCCESS: \d+ rules found/);
    expect(await promtool('check', 'config', '--syntax-only', 'prometheus.yml')).toContain('SUCCESS');
  });

  it('each alert fires when its case in alerts.test.yml says so, and not before', async () => {
    expect(await promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
  });

  it('every alert has a case of its own, in which it fires', async () => {
    const [rules, cases] = await Promise.all(
      ['alerts.yml', 'alerts.test.yml'].map((file) => readFile(join(RULES, file), 'utf8')),
    );
    const alerts = alertNames(rules ?? '');
    const tested = [...(cases ?? '').matchAll(/alertname: (\w+)\n +exp_alerts:\n/g)].map(([, name]) => name);
    expect(alerts.length).toBeGreaterThan(10);
    expect([...new Set(tested)]).toEqual(alerts);
  });
});

describe(withShortDurations.name, () => {
  it('changes the `for` of each rule, and nothing else', () => {
    const rule = "- alert: A\n        expr: up{for=~'2m'} == 0\n        for: 2m\n        labels: { for: x }\n";
    expect(withShortDurations(rule)).toBe(rule.replace('for: 2m', 'for: 1s'));
  });
});
