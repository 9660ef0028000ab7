import type { BaseInfoResponse } from '@rampart/node-client';

/** Whether a node is another implementation of the contract, which does not fill the fields that only Rampart has. */
export const isOtherImplementation = ({ coreType }: BaseInfoResponse): boolean => coreType === '';
