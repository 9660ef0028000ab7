import { setNonce } from 'get-nonce';

/** The nonce of this answer of the page, without which the policy of the page refuses style elements. */
export const nonce = (() => document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '')();

/** Gives the nonce to the library that keeps the page behind a dialog from scrolling. */
export const shareNonce = (): void => setNonce(nonce);
