import type { FastifyRequest } from 'fastify';

/** Nothing behind it tells one client from another, and it is matched and stored. */
const LONGEST_USER_AGENT = 256;

/** Apps of sing-box itself say its version, or have the same; others are taken for current ones. */
const SING_BOX_VERSIONS = [/sing-box[ /]v?(\d+\.\d+(?:\.\d+)?)/, /^SF[AIMT]\/(\d+\.\d+(?:\.\d+)?)/];

/** Who asks for a subscription, as the request tells it. */
export interface Client {
  readonly userAgent: string;
  readonly isBrowser: boolean;
  /** The languages that it prefers, as HTTP has them. */
  readonly languages: string;
}

export function clientOf({ headers }: FastifyRequest): Client {
  return {
    userAgent: (headers['user-agent'] ?? '').slice(0, LONGEST_USER_AGENT),
    isBrowser: headers.accept?.includes('text/html') ?? false,
    languages: headers['accept-language'] ?? '',
  };
}

/** The version of sing-box inside the client, which decides what a profile may say. */
export function singBoxVersion(userAgent: string): string | undefined {
  return SING_BOX_VERSIONS.map((pattern) => pattern.exec(userAgent)?.[1]).find((version) => version !== undefined);
}
