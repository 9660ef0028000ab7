import { afterAll, beforeAll, jest } from '@jest/globals';
import { environment } from './environment.js';

// All modules share one management program. Each import registers its tests, and they run in this order.
import './cores.js';
import './core-rules.js';
import './core-defaults.js';
import './hosts.js';
import './host-settings.js';
import './groups.js';
import './templates.js';
import './subscription.js';
import './host-over-inbound.js';
import './variables.js';
import './from-template.js';
import './bulk-users.js';
import './bulk-groups.js';
import './levels.js';
import './states.js';
import './traffic.js';
import './bulk-500-users.js';

jest.setTimeout(60_000);

beforeAll(() => environment.start());
afterAll(() => environment.stop());
