import { createPrivateKey, X509Certificate } from 'node:crypto';
import { apiKeyProblem } from '../connection/api-key.js';
import { nodeIdentityOf } from '../connection/identity.js';
import { type PastedKind, readPastedText, refused, writePastedText } from './pasted-text.js';

/** All that a node needs to be known by its management. Certificates and key are in PEM form. */
export interface Enrolment {
  /** The port on which the node listens. */
  readonly port: number;
  readonly apiKey: string;
  readonly certificate: string;
  /** The private key of the certificate. */
  readonly key: string;
  /** The certificate of management's authority, which has issued that of the node and that of management. */
  readonly authority: string;
}

/** What a node that is not enrolled tells about itself, so that management can add it. */
export interface NodeLine {
  /** Under which management reaches the node, as far as the node can tell. */
  readonly address: string;
  readonly port: number;
  /** The certificate of the node in PEM form. */
  readonly certificate: string;
  /** Absent in a line that may be seen by others, such as in a log. */
  readonly apiKey?: string;
}

/** The environment variable of a node that holds its enrolment. */
export const ENROLMENT_VARIABLE = 'RAMPART_ENROLMENT';

const ENROLMENT: PastedKind = {
  marker: 'rampart-enrolment',
  version: 1,
  what: 'an enrolment',
  advice: 'Paste the whole value that management has shown for this node, or have it issue another one',
};
const NODE_LINE: PastedKind = {
  marker: 'rampart-node',
  version: 1,
  what: 'the line of a node',
  advice: 'Paste the whole line that the node prints at its start',
};

/** The enrolment as one text of letters, digits, `-`, `_` and `.`, about 2,000 characters long. It contains secrets. */
export const writeEnrolment = ({ port, apiKey, certificate, key, authority }: Enrolment): string =>
  writePastedText(ENROLMENT, {
    port,
    apiKey,
    certificate: derOf(certificate),
    key: createPrivateKey(key).export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    authority: derOf(authority),
  });

/**
 * Reads the text of {@link writeEnrolment}.
 *
 * @throws NodeClientError `INVALID_ARGUMENT`: what is wrong with the text and what to do, without anything of its content.
 */
export function readEnrolment(text: string): Enrolment {
  const { port, apiKey, certificate, key, authority } = membersOf(readPastedText(ENROLMENT, text, [NODE_LINE]));
  try {
    const leaf = new X509Certificate(bytesOf(certificate));
    const issuer = new X509Certificate(bytesOf(authority));
    const privateKey = createPrivateKey({ key: bytesOf(key), format: 'der', type: 'pkcs8' });
    const fits = leaf.checkPrivateKey(privateKey) && leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey);
    if (fits && nodeIdentityOf(leaf) !== undefined && isPort(port) && isApiKey(apiKey)) {
      const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
      return { port, apiKey, certificate: leaf.toString(), key: pem, authority: issuer.toString() };
    }
  } catch {
    // The error below replaces that of the parser, which could quote a secret.
  }
  throw refused(`is ${ENROLMENT.what} that no management of Rampart has made. ${ENROLMENT.advice}`);
}

/** The line of a node as one text, like {@link writeEnrolment}. It contains no secret unless it has the API key. */
export const writeNodeLine = ({ address, port, certificate, apiKey }: NodeLine): string =>
  writePastedText(NODE_LINE, { address, port, certificate: derOf(certificate), ...(apiKey && { apiKey }) });

/**
 * Reads the text of {@link writeNodeLine}.
 *
 * @throws NodeClientError `INVALID_ARGUMENT`, as by {@link readEnrolment}.
 */
export function readNodeLine(text: string): NodeLine {
  const { address, port, certificate, apiKey } = membersOf(readPastedText(NODE_LINE, text, [ENROLMENT]));
  try {
    const pem = new X509Certificate(bytesOf(certificate)).toString();
    const keyFits = apiKey === undefined || isApiKey(apiKey);
    if (typeof address === 'string' && isPort(port) && keyFits) {
      return { address, port, certificate: pem, ...(apiKey !== undefined && { apiKey }) };
    }
  } catch {
    // A text without a readable certificate is refused like one with a member of another kind.
  }
  throw refused(`is ${NODE_LINE.what} that no node of Rampart has made. ${NODE_LINE.advice}`);
}

const membersOf = (value: unknown): Partial<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const derOf = (pem: string): string => new X509Certificate(pem).raw.toString('base64');
const bytesOf = (text: unknown): Buffer => Buffer.from(String(text), 'base64');
const isPort = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536;
const isApiKey = (value: unknown): value is string => typeof value === 'string' && apiKeyProblem(value) === undefined;
