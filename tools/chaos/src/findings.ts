/** Times at which a node's engine was killed or suspended on purpose. */
export interface Disturbance {
  readonly node: number;
  readonly kind: 'killed' | 'suspended';
  readonly from: number;
  /** Infinity while the engine is not back. */
  to: number;
}

/** What a run has found: promises that were broken, and the disturbances that excuse some of it. */
export class Findings {
  readonly broken: string[] = [];
  readonly disturbances: Disturbance[] = [];
  private readonly began = Date.now();

  breaks(what: string): void {
    this.broken.push(`after ${this.clock()} s: ${what}`);
  }

  /** Seconds since the run began. */
  clock(): string {
    return ((Date.now() - this.began) / 1000).toFixed(1);
  }

  disturb(node: number, kind: Disturbance['kind']): Disturbance {
    const disturbance: Disturbance = { node, kind, from: Date.now(), to: Number.POSITIVE_INFINITY };
    this.disturbances.push(disturbance);
    return disturbance;
  }

  /** Whether the engine of this node was killed, or also only suspended, at some time between these two. */
  disturbed(node: number, from: number, to: number, kinds: readonly Disturbance['kind'][]): boolean {
    return this.disturbances.some(
      (other) => other.node === node && kinds.includes(other.kind) && other.from <= to && other.to >= from,
    );
  }

  engineKills(node: number): number[] {
    return this.disturbances.filter((one) => one.node === node && one.kind === 'killed').map(({ from }) => from);
  }
}
