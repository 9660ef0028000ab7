import { CertificateError, type Check, checkCertificate, ok, wrong } from '@rampart/program';
import type { NodeEnv } from '../env/node-env.js';
import { hasCertificate, readCertificates } from '../tls/certificate.js';

const NAME = 'certificate';

/** Checks the certificate that the port shows, and its end. */
export async function checkNodeCertificate(env: NodeEnv): Promise<Check[]> {
  if (!(await hasCertificate(env))) return [ok(NAME, 'is not made yet: the first start makes it')];
  try {
    const { cert } = await readCertificates(env);
    return [checkCertificate(NAME, cert, new Date(), renewalAdvice(env))];
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    const advice = env.enrolment ? 'Do what the message says.' : 'Correct the files, or the settings that name them.';
    return [wrong(NAME, error.message, advice)];
  }
}

function renewalAdvice({ enrolment, tlsCert }: NodeEnv): string {
  if (enrolment) return 'Management renews it while it is connected: see the message of this node there.';
  return tlsCert === undefined
    ? 'Delete the folder tls in RAMPART_NODE_DATA_DIR, start the node again, and give management its new certificate.'
    : 'Renew it: the node reads the files again when they change. Give management the new certificate unless it knows the authority.';
}
