import type { BaseInfoResponse } from '@rampart/node-client';

/** Whether a node is another implementation of the contract: what it says has nothing that is Rampart's own. */
export const isOtherImplementation = ({ coreType }: BaseInfoResponse): boolean => coreType === '';
