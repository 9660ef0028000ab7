import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyContextConfig } from 'fastify';

export const ACCESS_LEVEL = 'rampart:access-level';
export type AccessLevel = 'sudo' | 'admin' | 'public';

/**
 * Which logins may change who may act: a fresh one, or any together with the present password in the body. For `connection` the
 * service asks for a fresh one where the request changes to whom management connects. With `any login` only API tokens need something.
 */
export type IdentityProof = 'fresh login' | 'body' | 'connection' | 'any login';
export const IDENTITY_PROOF = 'rampart:identity-proof';

/** The secrets in the answers of a route. */
export interface RouteSecrets {
  readonly of: 'users' | 'cores' | 'hosts' | 'admins' | 'subscriptions' | 'node logs';
  readonly form: 'members' | 'any';
}

declare module 'fastify' {
  interface FastifyContextConfig {
    accessLevel?: AccessLevel;
    identityProof?: IdentityProof;
    secrets?: RouteSecrets;
    isSameEverywhere?: true;
  }
}

/** Adds to the route's config, for hooks that run before any handler. Each decorator of a route adds its own part. */
const addConfig =
  (part: FastifyContextConfig): MethodDecorator =>
  (target, name, descriptor) => {
    const others: FastifyContextConfig = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, Object(descriptor.value));
    RouteConfig({ ...others, ...part })(target, name, descriptor);
  };

/** Sets the access level in the route's config, and as metadata, for tests. */
const Access = (accessLevel: AccessLevel): MethodDecorator =>
  applyDecorators(addConfig({ accessLevel }), SetMetadata(ACCESS_LEVEL, accessLevel));

/**
 * Marks a route whose answers have secrets, also where a change is refused because it began from an old version: what API tokens
 * call is in the audit log, and those that only read need the grant `secrets`.
 *
 * @param of of what they are, for the audit log
 * @param form members of the answer are masked; with `any` the route is refused
 */
export const TellsSecrets = (of: RouteSecrets['of'], form: RouteSecrets['form'] = 'members'): MethodDecorator =>
  addConfig({ secrets: { of, form } });

/** Marks a route whose answer is the same in every installation, so that no word of it is a secret. */
export const SameEverywhere = (): MethodDecorator => addConfig({ isSameEverywhere: true });

/** Decorators that say who may call a route. Every route carries exactly one; a route without one is closed to everybody. */
export const Sudo = () => Access('sudo');
export const AnyAdmin = () => Access('admin');
export const Public = () => Access('public');

/**
 * Marks a route that changes who may act: admins, their passwords and factors, API tokens, whom management connects to as a
 * node. API tokens need the grant `identity` for it.
 *
 * @param proof what a login needs; with `body` the service checks the present password that the body holds
 */
export const ChangesIdentity = (proof: IdentityProof = 'fresh login'): MethodDecorator =>
  applyDecorators(addConfig({ identityProof: proof }), SetMetadata(IDENTITY_PROOF, proof));
