import { createNodeClient, NodeClientError } from '@rampart/node-client';
import { addressFromHere, type Check, checkPortIsFree, ok, warning, wrong } from '@rampart/program';
import type { NodeEnv } from '../env/node-env.js';
import { hasCertificate, readCertificates } from '../tls/certificate.js';

const ANSWER_MS = 5_000;
const LOG = 'See the log of the node.';

/** Asks the running node as management does; where none runs, checks that its port is free. */
export async function checkNodePort(env: NodeEnv): Promise<Check[]> {
  // What is wrong with a certificate stands in a row of its own.
  const certificate = (await hasCertificate(env)) ? await readCertificates(env).catch(() => undefined) : undefined;
  if (!certificate) return [notRunning(), await checkPortIsFree('port', env.address)];
  const { host, port, protocol, apiKey } = env;
  const client = createNodeClient({
    transport: protocol === 'rest' ? 'rest' : 'grpc',
    host: addressFromHere(host),
    port,
    apiKey,
    tls: { fingerprint256: certificate.fingerprint256 },
  });
  try {
    const { running, coreVersion, usersCount, warnings } = await client.info({ timeoutMs: ANSWER_MS });
    return [
      ok('port', `the node answers on port ${port}`),
      running
        ? ok('running engine', `${coreVersion} serves ${usersCount} users`)
        : warning('running engine', 'none runs', `Management starts it: see "rampart doctor" there. ${LOG}`),
      ...warnings.map((line) => warning('running engine', line, LOG)),
    ];
  } catch (error) {
    if (!(error instanceof NodeClientError)) throw error;
    return explain(error, env);
  } finally {
    await client.close();
  }
}

async function explain(error: NodeClientError, env: NodeEnv): Promise<Check[]> {
  switch (error.code) {
    case 'UNREACHABLE': {
      const port = await checkPortIsFree('port', env.address);
      return port.state === 'ok' ? [notRunning(), port] : [port];
    }
    case 'TLS_UNTRUSTED':
    case 'PROTOCOL':
      return [
        wrong(
          'port',
          `another program answers on port ${env.port}: ${error.message}`,
          'End it, or set RAMPART_NODE_PORT to a free port.',
        ),
      ];
    case 'UNAUTHENTICATED':
      // An enrolled node has shown its own certificate, and then refuses all callers but management.
      if (env.enrolment)
        return [ok('port', `the enrolled node answers on port ${env.port}, and serves management alone`)];
      if (env.tlsClientCa !== undefined)
        return [ok('port', `the node answers on port ${env.port}, to callers with a certificate of its client CA`)];
      return [
        wrong(
          'port',
          `the running node refuses: ${error.message}`,
          'Start it again, if RAMPART_API_KEY was changed since.',
        ),
      ];
    default:
      return [wrong('port', error.message, LOG)];
  }
}

const notRunning = (): Check => wrong('node', 'does not run', `Start it. ${LOG}`);
