import { afterAll, beforeAll, jest } from '@jest/globals';
import { world } from './world.js';

jest.setTimeout(60_000);

beforeAll(() => world.start());
afterAll(() => world.stop());
