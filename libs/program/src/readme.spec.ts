import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { runReadmeExamples } from '@rampart/testing';
import * as program from './index.js';

it('the example of the README of @rampart/program runs as it stands', async () => {
  const logged = await runReadmeExamples(join(import.meta.dirname, '../README.md'), { '@rampart/program': program });
  expect(logged).toEqual([
    [9000],
    ['  EXAMPLE_PORT  port to listen on (default: 8000)'],
    [['EXAMPLE_PORT must be an integer from 0 to 65535']],
  ]);
});
