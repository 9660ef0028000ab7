import type { X509Certificate } from 'node:crypto';

const NODE_PREFIX = 'urn:rampart:node:';

/** The URI in the client certificate of management, by which an enrolled node knows it. */
export const MANAGEMENT_IDENTITY = 'urn:rampart:management';

/** The URI in the certificate of an enrolled node. `id` is a new UUID for each enrolment, so that an earlier one ends. */
export const nodeIdentity = (id: string): string => `${NODE_PREFIX}${id}`;

/** The URI by which a certificate names an enrolled node; undefined for any other certificate. */
export const nodeIdentityOf = (certificate: X509Certificate): string | undefined =>
  urisOf(certificate).find((uri) => uri.startsWith(NODE_PREFIX));

/** Whether a certificate has a URI among its names (subject alternative names). */
export const hasIdentity = (certificate: X509Certificate, uri: string): boolean => urisOf(certificate).includes(uri);

/** Node.js quotes names that contain separators, so that no name can look like several. */
const urisOf = ({ subjectAltName = '' }: X509Certificate): string[] =>
  subjectAltName.split(', ').flatMap((name) => (name.startsWith('URI:') ? [name.slice('URI:'.length)] : []));
