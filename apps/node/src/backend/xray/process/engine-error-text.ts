import { isObject } from '../config/json-tree.js';

const SECRET_KEY =
  /^(?:id|key|keys|auth|pass|password|passwords|psk|seed|token|secret|decryption|.*(?:Key|Seed|Password|Secret))$/i;
const MIN_SECRET_LENGTH = 6;

/** The engine's error message without secrets of the configuration, which the engine tends to quote. */
export function engineErrorText(output: readonly string[], tree: unknown): string {
  const failure = output.find((line) => line.includes('Failed to start: '));
  const words = failure?.replace(/^.*Failed to start: /, '') ?? output.slice(-5).join(' | ');
  // Longest first: otherwise a secret that begins with a shorter one would be masked only in part.
  const secrets = secretsOf(tree).sort((one, other) => other.length - one.length);
  return secrets.reduce((text, secret) => text.replaceAll(secret, '***'), words);
}

/** Every text under a key that suggests a secret. */
function secretsOf(value: unknown, secret = false): string[] {
  if (typeof value === 'string') return secret && value.length >= MIN_SECRET_LENGTH ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => secretsOf(item, secret));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => secretsOf(item, SECRET_KEY.test(key)));
}
