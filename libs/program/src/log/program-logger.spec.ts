import { describe, expect, it } from '@jest/globals';
import { OwnLines, ProgramLogger, type ProgramLoggerOptions } from './program-logger.js';
import { withRequestId } from './request-id.js';

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;

/** A logger, and the lines that it has written. */
function logging(options: Partial<ProgramLoggerOptions> = {}, isTTY = false) {
  const lines: string[] = [];
  const output = { isTTY, write: (text: string) => void lines.push(text.replace(TIME, 'TIME')) };
  const logger = new ProgramLogger({ logLevel: 'info', logFormat: undefined, output, ...options });
  return { logger, lines };
}

const json = (lines: readonly string[]) => lines.map((line) => JSON.parse(line));

describe(ProgramLogger.name, () => {
  it('writes JSON lines where the output is no terminal', () => {
    const { logger, lines } = logging({ requestId: () => 'r-1' });
    logger.log('Ready', 'Node');
    logger.error('It failed', 'Error: it\n    at x', 'Errors');
    logger.warn({ a: 1 });
    expect(lines.every((line) => line.endsWith('}\n') && line.indexOf('\n') === line.length - 1)).toBe(true);
    const same = { timestamp: 'TIME', pid: process.pid, requestId: 'r-1' };
    expect(json(lines)).toEqual([
      { ...same, level: 'info', context: 'Node', message: 'Ready' },
      { ...same, level: 'error', context: 'Errors', message: 'It failed', stack: 'Error: it\n    at x' },
      { ...same, level: 'warn', message: '{ a: 1 }' },
    ]);
  });

  it('writes text with colours on a terminal, and without them elsewhere and under NO_COLOR', () => {
    const terminal = logging({}, true);
    terminal.logger.warn('Look out', 'Node');
    expect(terminal.lines).toEqual(['TIME \u001b[33mWARN \u001b[0m [Node] Look out\n']);
    const { logger, lines } = logging({ logFormat: 'text', requestId: () => 'r-1' });
    logger.log('Ready', 'Node');
    logger.error('It failed', 'Error: it', 'Errors');
    expect(lines).toEqual([
      'TIME INFO  [Node] Ready (request r-1)\n',
      'TIME ERROR [Errors] It failed (request r-1)\nError: it\n',
    ]);
    process.env['NO_COLOR'] = '1';
    const plain = logging({}, true);
    delete process.env['NO_COLOR'];
    plain.logger.log('Ready');
    expect(plain.lines).toEqual(['TIME INFO  Ready\n']);
  });

  it('security row 59: what others say begins no line of a text log, and drives no terminal; stacks keep their lines', () => {
    const { logger, lines } = logging({ logFormat: 'text' });
    const said = 'fine\n2026-11-27 ERROR [Auth] forged\u001b[2J\u009b1m\u202e';
    const shown = 'fine\\n2026-11-27 ERROR [Auth] forged\\u001b[2J\\u009b1m\\u202e';
    logger.warn(`node 1: ${said}`, 'Nodes');
    const error = new Error(said);
    error.stack = `Error: ${said}\n    at one (a.js:1:2)\n    at two (b.js:3:4)`;
    logger.error(error, 'Errors');
    logger.error('It failed', error.stack, 'Errors');
    logger.warn({ said }, 'Objects');
    logger.log(new OwnLines(`one\ntwo\u001b`), 'Own');
    const frames = '\n    at one (a.js:1:2)\n    at two (b.js:3:4)\n';
    expect(lines).toEqual([
      `TIME WARN  [Nodes] node 1: ${shown}\n`,
      `TIME ERROR [Errors] Error: ${shown}${frames}`,
      `TIME ERROR [Errors] It failed\nError: ${shown}${frames}`,
      `TIME WARN  [Objects] { said: '${shown.replace('\\u001b', '\\x1B').replace('\\u009b', '\\x9B')}' }\n`,
      'TIME INFO  [Own] one\ntwo\\u001b\n',
    ]);
  });

  it('security row 59: a JSON log has no character that a terminal obeys, and the message as it was said', () => {
    const { logger, lines } = logging({ logFormat: 'json' });
    const said = 'a\nb\u001b[2J\u009b1m\u202e\u2028';
    logger.warn(said);
    expect(lines.join('')).toMatch(/^[\x20-\x7e]+\n$/);
    expect(json(lines)).toMatchObject([{ message: said }]);
  });

  it('a terminal gets JSON where the settings say so', () => {
    const { logger, lines } = logging({ logFormat: 'json' }, true);
    logger.log('Ready');
    expect(json(lines)).toMatchObject([{ message: 'Ready' }]);
  });

  it.each([
    ['error', ['fatal', 'error']],
    ['warn', ['fatal', 'error', 'warn']],
    ['info', ['fatal', 'error', 'warn', 'info']],
    ['debug', ['fatal', 'error', 'warn', 'info', 'debug', 'verbose']],
  ] as const)('the level %s lets through %j', (logLevel, levels) => {
    const { logger, lines } = logging({ logLevel });
    for (const level of ['fatal', 'error', 'warn', 'log', 'debug', 'verbose'] as const) logger[level]('A line');
    expect(json(lines).map(({ level }) => level)).toEqual(levels);
  });

  it('removes secrets from messages and stacks on every level', () => {
    const { logger, lines } = logging({ logLevel: 'debug', secrets: ['a-known-secret'] });
    for (const level of ['fatal', 'error', 'warn', 'log', 'debug', 'verbose'] as const)
      logger[level]('GET /sub/my-token with a-known-secret');
    logger.error('failed', 'Error: password=hunter2', 'Errors');
    logger.error(new Error('authorization: Bearer abc'));
    expect(lines.join('')).not.toMatch(/my-token|a-known-secret|hunter2|abc/);
    expect(json(lines)[0].message).toBe('GET /sub/[redacted] with [redacted]');
  });

  it('lines inside withRequestId carry that id, and lines after it the one of their own request', () => {
    const { logger, lines } = logging({ requestId: () => 'own' });
    withRequestId('given', () => logger.log('one'));
    logger.log('two');
    expect(() =>
      withRequestId('given', () => {
        throw new Error('x');
      }),
    ).toThrow('x');
    logger.log('three');
    withRequestId(undefined, () => logger.log('four'));
    expect(json(lines).map(({ requestId }) => requestId)).toEqual(['given', 'own', 'own', 'own']);
  });
});
