import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import * as coreConfig from '@rampart/core-config';
import { runReadmeExamples } from '@rampart/testing';
import * as subscription from './index.js';

it('the examples of the README of @rampart/subscription run as they stand', async () => {
  const modules = { '@rampart/core-config': coreConfig, '@rampart/subscription': subscription };
  const link = `ss://${Buffer.from('aes-256-gcm:secret').toString('base64url')}@proxy.example:8388#alice`;
  expect(await runReadmeExamples(join(import.meta.dirname, '../README.md'), modules)).toEqual([
    [[]],
    ['text/plain; charset=utf-8', link, 0],
  ]);
});
