import { REQUEST_ID_HEADER } from '@rampart/node-client';
import type { FastifyInstance } from 'fastify';
import type { ManagementEnv } from '../env/management-env.js';
import { isPublicOverHttps } from '../http/public-url.js';

/** Headers of every answer, including errors; routes that show pages override some of them. */
export const ANSWER_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * These headers, and where the public URL is one of HTTPS, one that tells browsers never to use plain HTTP. Hosts below the
 * one of the URL may belong to others, so they are left out.
 */
export const answerHeaders = (env: ManagementEnv): Readonly<Record<string, string>> => ({
  ...ANSWER_HEADERS,
  ...(isPublicOverHttps(env) && { 'strict-transport-security': `max-age=${env.hstsSeconds}` }),
});

/**
 * Sets headers that prevent caching, leaking of URLs through the referrer, execution of answers and access from windows of
 * other sites, and the id under which the log has the request.
 */
export function addAnswerHeaders(server: FastifyInstance, headers: Readonly<Record<string, string>>): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header(REQUEST_ID_HEADER, request.id);
    done();
  });
}
