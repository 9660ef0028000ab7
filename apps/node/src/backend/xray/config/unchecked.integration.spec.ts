import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { enginePath, engineVersion, programVersion, REFUSED_CONFIGS } from '@rampart/testing';
import { planConfig } from './engine-plan.js';

/** The engine's own check. */
function check(config: object): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(enginePath(), ['run', '-test', '-c', 'stdin:'], {
    input: JSON.stringify(config),
    env: {},
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

/** Newer engines refuse some of it themselves. */
const TAKEN = engineVersion() === programVersion('xray') ? [0] : [0, 23];

/** Each of them would be no reason to look ourselves if the engine did. */
describe("the engine's check", () => {
  // An outbound is replaced, a bad mode found, only when it starts.
  it.each(REFUSED_CONFIGS.filter(({ engine }) => engine === 'starts'))('takes $what', ({ config }) => {
    expect(TAKEN).toContain(check(config).status);
  });

  it.each(REFUSED_CONFIGS.filter(({ engine }) => engine === 'crashes'))('falls over $what', ({ config }) => {
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

  it('are judged as the engine judges them', () => {
    const outbounds = [{ tag: 'direct', protocol: 'freedom' }];
    const configOf = (pattern: string) => {
      const rules = [{ domain: [`regexp:${pattern}`], outboundTag: 'direct' }];
      return { outbounds, routing: { rules } };
    };
    // 26.3.27 passes over the rule, newer engines refuse the configuration.
    const unread = PATTERNS.filter((pattern) => {
      const { status, output } = check(configOf(pattern));
      return status === 23 || output.includes(`ignore domain rule Regex ${pattern} > `);
    });
    const refused = PATTERNS.filter((pattern) => {
      try {
        planConfig({ text: JSON.stringify(configOf(pattern)), excludedInbounds: [] });
        return false;
      } catch {
        return true;
      }
    });
    expect(refused).toEqual(unread);
  });
});
