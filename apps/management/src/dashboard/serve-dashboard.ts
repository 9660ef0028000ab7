import { type FileHandle, open } from 'node:fs/promises';
import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ManagementError, type ManagementErrorCode } from '../errors/management-error.js';
import { type DashboardFile, dashboardFolder, readDashboard } from './dashboard-files.js';
import { pageWithNonce } from './dashboard-page.js';

const HOME = '/dashboard/';
const logger = new Logger('Dashboard');
const PUBLIC = { config: { accessLevel: 'public' } } as const;

/**
 * Serves the built files of the dashboard below `/dashboard/`, where every other path is a page of the dashboard. Browsers that
 * ask for `/` are led there. These routes are files and no part of the API, so they are not in its document.
 */
export function serveDashboard(server: FastifyInstance, folder = dashboardFolder()): void {
  const dashboard = readDashboard(folder);
  if (dashboard === undefined) {
    logger.warn('The dashboard is not served because it is not built. "npm run build" builds it');
    return;
  }
  server.addHook('onRequest', (request, reply, done) => {
    const isRoot = request.method === 'GET' && request.url.split('?', 1)[0] === '/';
    if (isRoot && wantsPage(request)) void reply.redirect(HOME);
    else done();
  });
  server.get('/dashboard', PUBLIC, (request, reply) => {
    if (request.url.startsWith(HOME)) return sendPage(reply, dashboard.page);
    return reply.redirect(HOME);
  });
  server.get('/dashboard/*', PUBLIC, (request, reply) => {
    const path = (request.params as { '*': string })['*'];
    const file = dashboard.files.get(path);
    if (file) return sendFile(request, reply, file);
    if (path.startsWith('assets/')) return sendProblem(reply, 'NOT_FOUND');
    return sendPage(reply, dashboard.page);
  });
}

const wantsPage = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') ?? false;

/** The page changes with every release, and its nonce with every answer. */
function sendPage(reply: FastifyReply, page: string): FastifyReply {
  const { html, policy } = pageWithNonce(page);
  return reply.headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }).send(html);
}

/** These routes are registered before Nest installs its handler of errors, so nothing thrown would get the form of the API. */
function sendProblem(reply: FastifyReply, problem: ManagementErrorCode): FastifyReply {
  const { status, detail, code } = new ManagementError(problem);
  return reply.status(status).send({ detail, code });
}

/** A build since the start of the program has other files, so a file may be gone. */
function sendUnreadable(reply: FastifyReply, error: NodeJS.ErrnoException): FastifyReply {
  if (error.code === 'ENOENT') return sendProblem(reply, 'NOT_FOUND');
  logger.error(`a file of the dashboard cannot be read: ${error.message}`);
  return sendProblem(reply, 'INTERNAL');
}

async function sendFile({ headers }: FastifyRequest, reply: FastifyReply, file: DashboardFile): Promise<FastifyReply> {
  const accepted = (headers['accept-encoding'] ?? '')
    .split(',')
    .filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
    .map((one) => one.split(';', 1)[0]?.trim());
  const [encoding, path] = [...file.encodings].find(([name]) => accepted.includes(name)) ?? [];
  let handle: FileHandle;
  try {
    handle = await open(path ?? file.path);
  } catch (error) {
    return sendUnreadable(reply, error as NodeJS.ErrnoException);
  }
  if (encoding) reply.header('content-encoding', encoding);
  return reply
    .headers({
      'content-type': file.type,
      'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
    })
    .send(handle.createReadStream());
}
