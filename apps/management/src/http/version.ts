import { hash, hkdfSync, randomBytes } from 'node:crypto';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import { requestContext } from '../access/request-context.js';
import { ManagementError } from '../errors/management-error.js';

/** 132 bits: two different states never have the same version. */
const LENGTH = 22;
const KEY_BYTES = 32;

/** Before `keyVersions`, a key that nobody has. */
let key = randomBytes(KEY_BYTES).toString('base64url');

/**
 * Derives the key of all versions from a key that the replicas share. What is masked in an answer is in its version, so
 * without a key one could try out what it is.
 */
export function keyVersions(shared: Buffer): void {
  key = Buffer.from(hkdfSync('sha256', shared, '', 'rampart versions v1', KEY_BYTES)).toString('base64url');
}

export const VERSIONED = 'rampart:versioned';

/** A digest of what admins can edit of an object. Equal states have equal versions, in every replica and for every reader. */
export const versionOf = (edited: unknown): string =>
  // Half of a digest cannot be extended, so the key may stand in front; an HMAC takes three times as long in lists of users.
  hash('sha256', key + JSON.stringify(edited), 'base64url').slice(0, LENGTH);

/** The view of an object with its version. `edited` is what admins can edit of it; absent: the whole view. */
export const withVersion = <T extends object>(view: T, edited: unknown = view): T & { version: string } => ({
  ...view,
  version: versionOf(edited),
});

/**
 * Compares the `If-Match` header of the current request with an object. Called in the transaction that writes the object,
 * after it was locked. Without the header, and outside of requests, every version is right.
 *
 * @throws ManagementError with the object as it is now
 */
export function checkVersion(current: object & { version: string }): void {
  const wanted = requestContext()?.ifMatch?.trim();
  if (wanted === undefined || wanted === '*') return;
  // Proxies that compress answers mark their tags as weak.
  const versions = wanted.split(',').map((tag) => tag.trim().replace(/^(?:W\/)?"(.*)"$/, '$1'));
  if (versions.includes(current.version)) return;
  throw new ManagementError('VERSION_CONFLICT', undefined, { etag: tagOf(current.version) }, current);
}

const tagOf = (version: string): string => `"${version}"`;

/** The version of an answer; undefined for one without. */
type ReadVersion = (answer: object) => unknown;

@Injectable()
class EntityTagInterceptor implements NestInterceptor {
  constructor(private readonly read: ReadVersion) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((answer: unknown) => {
        const version = this.read(Object(answer));
        const reply = context.switchToHttp().getResponse<FastifyReply>();
        if (typeof version === 'string') reply.header('etag', tagOf(version));
        return answer;
      }),
    );
  }
}

/** A route of one object: its answer has the version as `ETag`, and a change heeds `If-Match` by `checkVersion`. */
export const Versioned = (read: ReadVersion = (answer) => Reflect.get(answer, 'version')): MethodDecorator =>
  applyDecorators(SetMetadata(VERSIONED, true), UseInterceptors(new EntityTagInterceptor(read)));
