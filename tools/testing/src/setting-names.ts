import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The names of environment variables that the classes of settings in a folder declare, as their source has them. */
export const settingNames = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(/\bSetting\(\{\s*name: '(\w+)'/g)])
    .map(([, name]) => name ?? '');
