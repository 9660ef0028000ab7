import { existsSync, writeFileSync } from 'node:fs';

const LIBRARIES = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
];

/** The wall clock of a program, which can jump; its monotonic clock cannot. Needs libfaketime. */
export interface Clock {
  /** Settings with which the program is started. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the clock this many seconds before (negative) or after the real time. Undefined without libfaketime. */
  readonly jump: ((seconds: number) => void) | undefined;
}

/** @param file where libfaketime reads how far the clock is off. */
export function makeClock(file: string): Clock {
  const library = LIBRARIES.find((path) => existsSync(path));
  if (library === undefined) return { env: {}, jump: undefined };
  const jump = (seconds: number) => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}`);
  jump(0);
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DONT_RESET: '1',
  };
  return { env, jump };
}
