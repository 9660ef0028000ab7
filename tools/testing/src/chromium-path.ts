import { spawnSync } from 'node:child_process';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MISSING = 'No browser: install Chromium (Debian: apt-get install chromium), or name one by CHROME_PATH';

/** The path of Chromium, or of the browser that CHROME_PATH names. */
export function chromiumPath(): string {
  const { CHROME_PATH } = process.env;
  const names = CHROME_PATH ? [CHROME_PATH] : NAMES;
  for (const name of names) {
    if (spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0) return pathOf(name);
  }
  throw new Error(CHROME_PATH ? `${MISSING} (${CHROME_PATH} does not run)` : MISSING);
}

/** Playwright takes no names of programs, only paths. */
const pathOf = (name: string): string => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim() || name;
