import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const TABLE_FILE = join(dirname(fileURLToPath(import.meta.url)), '../../../docs/clients.md');
