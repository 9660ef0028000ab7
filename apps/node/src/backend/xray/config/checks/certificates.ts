import type { Inbound } from '@rampart/core-config';
import { CERTIFICATES_PATH, certificateEntries } from '../certificates.js';
import { refuse } from '../json-tree.js';
import { keyPairProblem } from '../key-pair.js';

/** Throws CONFIG_REFUSED when a TLS inbound has no certificate to serve with, or an inline certificate or key is wrong. */
export function checkCertificates(inbound: Inbound): void {
  const name = `inbound "${inbound.tag}"`;
  const isHysteria = inbound.protocol === 'hysteria' || inbound.network === 'hysteria';
  if (isHysteria && inbound.security !== 'tls') refuse(`${name}: hysteria needs streamSettings.security "tls"`);
  if (inbound.security !== 'tls') return;
  const entries = certificateEntries(inbound);
  for (const { place, certificate, key, isForComparison } of entries) {
    if (certificate === undefined) refuse(`${place} has neither "certificate" nor "certificateFile"`);
    if (key === undefined && !isForComparison) refuse(`${place} has neither "key" nor "keyFile"`);
  }
  if (entries.every(({ isForComparison }) => isForComparison)) {
    refuse(`${name}: security "tls" needs a certificate and its key in ${CERTIFICATES_PATH}`);
  }
  for (const { place, certificate, key: given, isForComparison } of entries) {
    const key = isForComparison ? undefined : given;
    if (certificate === undefined || 'file' in certificate || (key !== undefined && 'file' in key)) continue;
    const problem = keyPairProblem(certificate.text, key?.text);
    if (problem !== undefined) refuse(`${place}: ${problem}`);
  }
}
