/** What sing-box and mihomo know; the engine also knows names of single versions, such as `hellochrome_120`. */
export const COMMON_FINGERPRINTS: readonly string[] = [
  'chrome',
  'firefox',
  'edge',
  'safari',
  '360',
  'qq',
  'ios',
  'android',
  'random',
  'randomized',
];

/** Whether the engine takes it: another one costs its client the whole configuration. */
export const isFingerprint = (name: string): boolean => COMMON_FINGERPRINTS.includes(name) || ENGINE_OWN.test(name);

const ENGINE_OWN = /^(unsafe|randomizednoalpn|hello\w+)$/;
