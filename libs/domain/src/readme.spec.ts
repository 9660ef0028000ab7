import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { runReadmeExamples } from '@rampart/testing';
import * as domain from './index.js';

it('the examples of the README of @rampart/domain run as they stand', async () => {
  const logged = await runReadmeExamples(join(import.meta.dirname, '../README.md'), { '@rampart/domain': domain });
  expect(logged).toEqual([['active'], ['expired'], ['alice: 9 GB, 2 days']]);
});
