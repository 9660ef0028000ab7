/** Problems of probes that say nothing about the host: the probe could not be made, or its target refused it. */
export const NO_FAULT: readonly string[] = ['not_probed', 'target_refused'];
