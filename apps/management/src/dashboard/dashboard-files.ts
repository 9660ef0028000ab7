import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A built file of the dashboard. */
export interface DashboardFile {
  readonly path: string;
  readonly type: string;
  /** Whether its name has a hash of its content, so that it never changes: Vite names the files below `assets/` so. */
  readonly isHashed: boolean;
  /** The compressed files beside it, by the name of the encoding; the best one first. */
  readonly encodings: ReadonlyMap<string, string>;
}

export interface DashboardFiles {
  /** The page, in which `__NONCE__` stands where the nonce of an answer belongs. */
  readonly page: string;
  /** The files by their paths below `/dashboard/`. */
  readonly files: ReadonlyMap<string, DashboardFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
};
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** The folder of the built dashboard, which is the only thing that management needs of that package. */
export function dashboardFolder(): string {
  const { resolve } = createRequire(import.meta.url);
  return join(dirname(resolve('@rampart/dashboard/package.json')), 'dist');
}

/** Lists the files of a built dashboard; undefined where it is not built. */
export function readDashboard(folder: string): DashboardFiles | undefined {
  const page = join(folder, 'index.html');
  if (!existsSync(page)) return undefined;
  const files = new Map<string, DashboardFile>();
  for (const name of readdirSync(folder, { recursive: true }).map((path) => String(path).replaceAll('\\', '/'))) {
    const path = join(folder, name);
    const type = TYPES[/\.(\w+)$/.exec(name)?.[1] ?? ''];
    if (type === undefined || !statSync(path).isFile()) continue;
    const encodings = ENCODINGS.flatMap(([encoding, end]) =>
      existsSync(path + end) ? [[encoding, path + end] as const] : [],
    );
    files.set(name, { path, type, isHashed: name.startsWith('assets/'), encodings: new Map(encodings) });
  }
  return { page: readFileSync(page, 'utf8'), files };
}
