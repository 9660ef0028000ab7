import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { enginePath, engineVersion, programVersion, REFUSED_CONFIGS } from '@rampart/testing';
import { planConfig } from './plan/engine-plan.js';

/** Runs the engine's own check (`xray run -test`). */
function check(config: object): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(enginePath(), ['run', '-test', '-c', 'stdin:'], {
    input: JSON.stringify(config),
    env: {},
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

/** Exit codes of the engine's check; newer engines refuse some of the configurations themselves, with code 23. */
const TAKEN = engineVersion() === programVersion('xray') ? [0] : [0, 23];

/** The node checks these configurations because the engine's own check does not find them. */
describe("the engine's check", () => {
  // The engine finds these mistakes only when it starts.
  it.each(REFUSED_CONFIGS.filter(({ engine }) => engine === 'starts'))('accepts $what', ({ config }) => {
    expect(TAKEN).toContain(check(config).status);
  });

  it.each(REFUSED_CONFIGS.filter(({ engine }) => engine === 'crashes'))('crashes on $what', ({ config }) => {
    expect(check(config)).toMatchObject({ status: 2 });
  });
});

describe('patterns', () => {
  const PATTERNS = [
    ...['a', '', '(', 'a(b', ')', '[', '[]a]', '[z-a]', '*', 'a**', 'a{1001}', 'a{1000}', '(?:a{100}){100}', 'a{2,1}'],
    ...['(?=a)', '(?!a)', '(?<=a)', '(?<!a)', '(?>a)', '\\1', '\\', '\\d', '\\8', '\\x{41}', '\\x4', '\\u0041', '\\cA'],
    ...['(?i)a', '(?z)a', '(?P<n>a)', '(?<n>a)', '(?P<n>a)(?P<n>b)', '(?P=n)', '(?#c)', 'a++', 'a{,5}', 'a{'],
    ...[
      '[[:alpha:]]',
      '[[:foo:]]',
      '\\pL',
      '\\p{Greek}',
      '\\p{Foo}',
      '\\Qa(b\\E',
      '\\Z',
      '\\z',
      '\\A',
      '\\B',
      '\\C',
      '\\G',
    ],
    ...[
      '^(.+\\.)?example\\.com$',
      '(^|\\.)(doubleclick|adservice)\\.',
      '\\R',
      '\\X',
      '\\h',
      '\\K',
      '(?|a|b)',
      '(?s-i:a)',
    ],
  ];

  it('are refused exactly when the engine cannot read them', () => {
    const outbounds = [{ tag: 'direct', protocol: 'freedom' }];
    const configOf = (pattern: string) => {
      const rules = [{ domain: [`regexp:${pattern}`], outboundTag: 'direct' }];
      return { outbounds, routing: { rules } };
    };
    const isRefused = (pattern: string) => {
      try {
        planConfig({ text: JSON.stringify(configOf(pattern)), excludedInbounds: [] });
        return false;
      } catch {
        return true;
      }
    };
    // Version 26.3.27 ignores the rule, newer engines refuse the configuration.
    const isUnread = (pattern: string) => {
      const { status, output } = check(configOf(pattern));
      return status === 23 || output.includes(`ignore domain rule Regex ${pattern} > `);
    };
    const refused = PATTERNS.filter(isRefused);
    // The engine may end before it has written its last line, so that a line is looked for more than once.
    const unread = PATTERNS.filter((pattern) =>
      Array(refused.includes(pattern) ? 5 : 1)
        .fill(pattern)
        .some(isUnread),
    );
    expect(refused).toEqual(unread);
  });
});
