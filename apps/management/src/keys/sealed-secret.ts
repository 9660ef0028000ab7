import type { EntityManager } from 'typeorm';

/** A secret in a row, sealed by AtRestCipher. */
export interface SealedSecret {
  id: number;
  sealed: Buffer;
}

/** The statements on the sealed secrets of a table. */
export interface SealedSecrets {
  /** What the secrets are, in the plural. */
  readonly what: string;
  /** The context with which a secret is sealed, which binds it to its row. */
  contextOf(id: number): string;
  lockSealed(manager: EntityManager): Promise<SealedSecret[]>;
  replaceSealed(manager: EntityManager, secrets: readonly SealedSecret[]): Promise<void>;
}
