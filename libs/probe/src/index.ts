export { type Diagnosis, diagnose, type ProbedHost, type ProbeProblem } from './diagnose.js';
export type { EngineProgram } from './engine/client-engine.js';
export { type AddressRule, addressRule } from './outbounds/public-address.js';
export { OutboundError, readOutbounds } from './outbounds/read-outbounds.js';
export { PROBE_STAGES, type ProbeRequest, type ProbeResult, type ProbeStage } from './probe-result.js';
export { type ProbeMachine, runProbe } from './run-probe.js';
