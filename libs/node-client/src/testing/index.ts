export { selfSigned } from './certificates.js';
export { type HostileAnswer, type HostileCall, HostileNode } from './hostile-node.js';
export { REFERENCE_KEY } from './reference-key.js';
export { ReferenceNode } from './reference-node.js';
export { ReferenceRefusal } from './reference-refusal.js';
