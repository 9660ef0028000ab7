import { describe, expect, it } from '@jest/globals';
import { panicFrames } from './panic-trace.js';

const SNIFF = 'github.com/xtls/xray-core/common/protocol/quic.SniffQUIC({0x1338eaea2000, 0x6c, 0x8000})';
const PROCESS = 'github.com/xtls/xray-core/proxy/vless/inbound.(*Handler).Process(0x1338eb0e0d80)';
const TRACE = [
  'panic: runtime error: slice bounds out of range [:-2147483586]',
  'goroutine 10 [running]:',
  SNIFF,
  '\tgithub.com/xtls/xray-core@v1.260327.0/common/protocol/quic/sniff.go:231 +0x1e5a',
  PROCESS,
  '\tgithub.com/xtls/xray-core@v1.260327.0/proxy/vless/inbound/inbound.go:633 +0x2325',
];
const exit = { code: 2, signal: null };

describe(panicFrames.name, () => {
  it('has the functions of the goroutine that panicked, and of no other', () => {
    const others = ['goroutine 11 [select]:', 'other.function()', '\t/other.go:1 +0x1'];
    expect(panicFrames({ exit, errorLines: ['said before', ...TRACE, ...others] })).toEqual([SNIFF, PROCESS]);
    expect(panicFrames({ exit, errorLines: ['fatal error: concurrent map writes', ...TRACE.slice(1)] })).toEqual([
      SNIFF,
      PROCESS,
    ]);
  });

  it.each([
    ['another exit code', { code: 1, signal: null }],
    ['a signal', { code: null, signal: 'SIGKILL' }],
  ] as const)('security row 106: is empty after %s', (_what, other) => {
    expect(panicFrames({ exit: other, errorLines: TRACE })).toEqual([]);
  });

  it('security row 106: takes nothing from a trace that another one follows, or from a signal', () => {
    const last = ['panic: another', 'goroutine 1 [running]:', 'main.main()', '\t/main.go:1 +0x1'];
    expect(panicFrames({ exit, errorLines: [...TRACE, ...last] })).toEqual(['main.main()']);
    expect(panicFrames({ exit, errorLines: ['SIGABRT: abort', ...TRACE.slice(1)] })).toEqual([]);
    expect(panicFrames({ exit, errorLines: TRACE.slice(0, 1) })).toEqual([]);
  });

  it('security row 106: takes nothing from the message of a panic, of which Go indents all lines but the first', () => {
    const message = ['panic: a', ...TRACE.map((line) => `\t${line}`)];
    const errorLines = [...message, 'goroutine 1 [running]:', 'main.main()', '\t/main.go:1 +0x1'];
    expect(panicFrames({ exit, errorLines })).toEqual(['main.main()']);
  });
});
