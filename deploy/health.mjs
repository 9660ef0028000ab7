// The HEALTHCHECK of both images: exit code 0 while the program answers on this machine, 1 and the reason otherwise. It is about
// the process alone: some managers restart what is unhealthy, which helps no management whose database is away. Management listens
// only when its database is ready, so that `depends_on` and `--wait` wait for as much as /health/ready says at a start.
import { readFileSync } from 'node:fs';
import { request as http } from 'node:http';
import { request as https } from 'node:https';
import { connect } from 'node:tls';

const WITHIN_MS = 4_000;
/** An address that reaches a service that listens on all addresses. */
const LOOPBACK = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const { RAMPART_HOST = '', RAMPART_PORT, RAMPART_TLS_CERT, RAMPART_NODE_HOST = '', RAMPART_NODE_PORT } = process.env;
const { RAMPART_ENROLMENT, RAMPART_ENROLMENT_FILE } = process.env;
const own = (host) => LOOPBACK[host] ?? (host || '127.0.0.1');

/** Management: a GET that is answered with 200. The certificate is for the public name, so it is not checked here. */
function management() {
  return new Promise((resolve, reject) => {
    const options = { host: own(RAMPART_HOST), port: RAMPART_PORT || 8000, path: '/health/live', timeout: WITHIN_MS };
    const call = (RAMPART_TLS_CERT ? https : http)({ ...options, rejectUnauthorized: false });
    call.once('response', ({ statusCode }) =>
      statusCode === 200 ? resolve() : reject(new Error(`/health/live answers ${statusCode}`)),
    );
    call.once('timeout', () => call.destroy(new Error(`no answer within ${WITHIN_MS} ms`)));
    call.once('error', reject);
    call.end();
  });
}

/** The port of an enrolled node, which stands in the JSON text between the dots of its enrolment. */
function enrolledPort() {
  const enrolment = RAMPART_ENROLMENT || (RAMPART_ENROLMENT_FILE && readFileSync(RAMPART_ENROLMENT_FILE, 'utf8'));
  return enrolment && JSON.parse(Buffer.from(enrolment.split('.')[1] ?? '', 'base64url').toString()).port;
}

/** The node: its TLS port answers, whatever certificate it then wants to see. */
function node() {
  return new Promise((resolve, reject) => {
    const options = {
      host: own(RAMPART_NODE_HOST),
      port: Number(RAMPART_NODE_PORT || enrolledPort() || 62050),
      rejectUnauthorized: false,
    };
    const socket = connect(options, resolve);
    socket.setTimeout(WITHIN_MS, () => reject(new Error(`no TLS answer within ${WITHIN_MS} ms`)));
    socket.once('error', reject);
  });
}

try {
  await (process.argv[2] === 'node' ? node : management)();
  process.exit(0);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
