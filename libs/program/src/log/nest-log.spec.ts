import { describe, expect, it } from '@jest/globals';
import { withoutWiringLines } from './nest-log.js';

describe(withoutWiringLines.name, () => {
  it('drops the lines whose last argument is a context of Nest itself, and keeps all others', () => {
    const lines: unknown[][] = [];
    const logger = withoutWiringLines({
      log: (...line: unknown[]) => void lines.push(['log', ...line]),
      error: (...line: unknown[]) => void lines.push(['error', ...line]),
    });
    logger.log('Mapped {/api, GET} route', 'RouterExplorer');
    logger.error('Nest cannot start', 'a stack', 'NestFactory');
    logger.log('Ready', 'Node');
    logger.error('The disk is full', 'a stack', 'State');
    expect(lines).toEqual([
      ['log', 'Ready', 'Node'],
      ['error', 'The disk is full', 'a stack', 'State'],
    ]);
  });
});
