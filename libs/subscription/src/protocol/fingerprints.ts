/** Fingerprints that sing-box and mihomo know. The engine also knows single versions, such as `hellochrome_120`. */
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

/** Whether the engine knows a fingerprint: an unknown one makes clients refuse the whole configuration. */
export const isFingerprint = (name: string): boolean =>
  COMMON_FINGERPRINTS.includes(name) || ENGINE_FINGERPRINT.test(name);

const ENGINE_FINGERPRINT = /^(unsafe|randomizednoalpn|hello\w+)$/;
