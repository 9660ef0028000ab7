export { selfSigned } from './certificates.js';
export { REFERENCE_KEY, ReferenceNode } from './reference-node.js';
export { ReferenceRefusal } from './reference-refusal.js';
