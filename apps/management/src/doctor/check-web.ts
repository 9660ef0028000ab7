import { X509Certificate } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import {
  addressFromHere,
  type Check,
  checkCertificate,
  messageOf,
  ok,
  readCertificate,
  warning,
  wrong,
} from '@rampart/program';
import type { ManagementEnv } from '../env/management-env.js';
import { errorCode } from '../errors/error-code.js';
import { publicUrl, publicUrlWarning } from '../http/public-url.js';

const ANSWER_MS = 5_000;

/** Checks certificate and key of the port: whether they are a pair, their end, and the name of the public URL. */
export async function checkOwnCertificate(env: ManagementEnv): Promise<Check[]> {
  const { tlsCert, tlsKey } = env;
  if (tlsCert === undefined || tlsKey === undefined) return [];
  const name = 'certificate';
  const renew = 'Renew it: management reads the files of RAMPART_TLS_CERT and RAMPART_TLS_KEY again when they change.';
  try {
    const { cert } = await readCertificate(
      { setting: 'RAMPART_TLS_CERT', file: tlsCert },
      { setting: 'RAMPART_TLS_KEY', file: tlsKey },
    );
    return [checkCertificate(name, cert, new Date(), renew), ...checkName(cert, new URL(publicUrl(env)))];
  } catch (error) {
    return [wrong(name, messageOf(error), 'Correct RAMPART_TLS_CERT and RAMPART_TLS_KEY.')];
  }
}

/** A proxy in front has a certificate of its own, so only a public URL with the own port is compared. */
function checkName(cert: string, { hostname, protocol }: URL): Check[] {
  const certificate = new X509Certificate(cert);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isNamed = (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
  if (protocol !== 'https:' || isNamed) return [];
  const seen = `does not name ${host}, which subscription URLs have`;
  return [warning('certificate', seen, 'Use a certificate for this name, unless a proxy in front has one.')];
}

/** Checks that the port of the running service answers. */
export async function checkOwnPort(env: ManagementEnv): Promise<Check> {
  const { host, port, scheme } = env;
  const target = { host: addressFromHere(host), port, path: '/health', timeout: ANSWER_MS, agent: false as const };
  const seen = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  try {
    const status = await statusOf(
      scheme === 'https' ? httpsRequest({ ...target, rejectUnauthorized: false }) : httpRequest(target),
    );
    if (status === 200) return ok('port', `${seen} answers`);
    return wrong(
      'port',
      `${seen}/health answers ${status}`,
      'Another program has the port: end it, or set RAMPART_PORT to a free one.',
    );
  } catch (error) {
    const advice =
      'Start management, and see its log. RAMPART_HOST and RAMPART_PORT must be the same for the service and this command.';
    return wrong('port', `${seen} does not answer (${errorCode(error) ?? messageOf(error)})`, advice);
  }
}

/** Checks the URL that users get. It can be unreachable from here and right all the same, so it is never wrong. */
export async function checkPublicUrl(env: ManagementEnv): Promise<Check> {
  const name = 'public URL';
  const url = publicUrl(env);
  if (publicUrlWarning(url) !== undefined)
    return warning(
      name,
      `${url} can be reached from this machine alone`,
      'Set RAMPART_PUBLIC_URL to the address that clients use.',
    );
  const advice =
    'See whether clients reach it: DNS, firewall, and the proxy in front. Some networks let no machine reach its own public address.';
  try {
    const request = url.startsWith('https:') ? httpsRequest : httpRequest;
    const status = await statusOf(request(`${url}/health`, { timeout: ANSWER_MS, agent: false }));
    return status === 200 ? ok(name, `${url} answers`) : warning(name, `${url}/health answers ${status}`, advice);
  } catch (error) {
    return warning(name, `${url} does not answer this machine (${errorCode(error) ?? messageOf(error)})`, advice);
  }
}

function statusOf(request: ReturnType<typeof httpRequest>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request
      .once('response', (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
      .once('timeout', () => request.destroy(new Error('no answer in time')))
      .once('error', reject)
      .end();
  });
}
