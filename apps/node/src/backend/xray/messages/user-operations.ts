import { lengthDelimitedField } from '@rampart/node-client';
import type { TypedMessage } from '../gen/message.js';
import { RemoveUserOperation } from '../gen/proxyman.js';
import type { Account } from '../users/account.js';
import { encodeEngineUser } from './engine-user.js';

export function addUserOperation(email: string, account: Account): TypedMessage {
  const value = Buffer.from(lengthDelimitedField(1, encodeEngineUser(email, account)), 'latin1');
  return { type: 'xray.app.proxyman.command.AddUserOperation', value };
}

export function removeUserOperation(email: string): TypedMessage {
  const value = Buffer.from(RemoveUserOperation.encode({ email }).finish());
  return { type: 'xray.app.proxyman.command.RemoveUserOperation', value };
}
