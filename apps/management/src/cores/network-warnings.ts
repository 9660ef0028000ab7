/** Users of the core reach private networks. */
export interface NetworkWarning {
  /** The field that the warning is about. */
  readonly path: 'private_networks';
  /** The kind of the warning, for programs. */
  readonly code: 'private_networks_open';
  /** The warning in a sentence. */
  readonly message: string;
}

/** One warning for each network that is opened, which says what that means. */
export function networkWarnings(networks: readonly string[]): NetworkWarning[] {
  return networks.map((network) => ({
    path: 'private_networks',
    code: 'private_networks_open',
    message: `users reach everything at ${network} that a node of this core can reach, by address and by name`,
  }));
}
