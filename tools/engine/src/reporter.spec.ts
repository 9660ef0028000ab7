import { beforeEach, describe, expect, it } from '@jest/globals';
import { consoleReporter } from './reporter.js';

describe(consoleReporter.name, () => {
  let written: string;
  const screen = (isTTY: boolean) => ({ isTTY, write: (text: string) => (written += text) });

  beforeEach(() => {
    written = '';
  });

  it('progress stays on one line of a terminal', () => {
    const reporter = consoleReporter(screen(true));
    reporter.say('start');
    for (const percent of [0, 0, 1, 100]) reporter.percent('downloading', percent);
    reporter.say('end');
    expect(written).toBe(
      'start\n\r  downloading: 0 %\x1b[K\r  downloading: 1 %\x1b[K\r  downloading: 100 %\x1b[K\nend\n',
    );
  });

  it('progress in a log is one line from time to time', () => {
    const reporter = consoleReporter(screen(false));
    for (let percent = 0; percent <= 100; percent++) reporter.percent('downloading', percent);
    for (let seconds = 1; seconds <= 31; seconds++) reporter.seconds('building', seconds);
    expect(written.split('\n')).toEqual([
      '  downloading: 25 %',
      '  downloading: 50 %',
      '  downloading: 75 %',
      '  downloading: 100 %',
      '  building: 15 s',
      '  building: 30 s',
      '',
    ]);
  });
});
