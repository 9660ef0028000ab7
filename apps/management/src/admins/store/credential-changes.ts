import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** A change after which earlier logins of an admin are worth nothing: another password or second factor, fewer rights. */
export interface CredentialChange {
  readonly adminId: number;
  readonly username: string;
  /** The kinds of logins of which the one that makes the change goes on. */
  readonly keeps: readonly ('browser' | 'token')[];
  /** Whether the API tokens of the admin end too. */
  readonly revokesTokens: boolean;
}

type Listener = (manager: EntityManager, change: CredentialChange) => Promise<unknown>;

/** Tells the features above this one of changed credentials, in the transaction of the change. */
@Injectable()
export class CredentialChanges {
  private readonly listeners: Listener[] = [];

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  async tell(manager: EntityManager, change: CredentialChange): Promise<void> {
    for (const listener of this.listeners) await listener(manager, change);
  }
}
