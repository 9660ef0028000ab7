import { describe, expect, it } from '@jest/globals';
import { checkReport, ok, warning, wrong } from './check.js';

describe(checkReport.name, () => {
  const checks = [
    ok('disk', 'has space'),
    warning('clock of x', 'is 6.0 s ahead', 'Set it.'),
    wrong('port', 'is\ntaken', 'Free it.'),
  ];

  it('prints what was seen, what to do below it, and how many rows there are of each state', () => {
    expect(checkReport(checks)).toEqual({
      text: [
        'ok       disk        has space',
        'warning  clock of x  is 6.0 s ahead',
        '                     -> Set it.',
        'wrong    port        is\\ntaken',
        '                     -> Free it.',
        '1 ok, 1 to watch, 1 wrong',
      ].join('\n'),
      json: { ok: 1, warnings: 1, wrong: 1, checks },
      exitCode: 1,
    });
  });

  it('fails only where something is wrong', () => {
    expect(checkReport(checks.slice(0, 2)).exitCode).toBe(0);
  });
});
