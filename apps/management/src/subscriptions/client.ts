import type { FastifyRequest } from 'fastify';

/** Maximum length of the part of a User-Agent that is matched and stored. What follows does not distinguish clients. */
const MAX_USER_AGENT_LENGTH = 256;

/** Apps of sing-box report their version in the User-Agent; others are treated as current versions. */
const SING_BOX_VERSIONS = [/sing-box[ /]v?(\d+\.\d+(?:\.\d+)?)/, /^SF[AIMT]\/(\d+\.\d+(?:\.\d+)?)/];

/** The client of a request. */
export interface Client {
  readonly userAgent: string;
  readonly isBrowser: boolean;
  /** The `Accept-Language` header. */
  readonly languages: string;
}

export function clientOf({ headers }: FastifyRequest): Client {
  return {
    userAgent: (headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT_LENGTH),
    isBrowser: headers.accept?.includes('text/html') ?? false,
    languages: headers['accept-language'] ?? '',
  };
}

/** The version of sing-box inside the client, which decides which options a profile may contain. */
export function singBoxVersion(userAgent: string): string | undefined {
  return SING_BOX_VERSIONS.map((pattern) => pattern.exec(userAgent)?.[1]).find((version) => version !== undefined);
}
