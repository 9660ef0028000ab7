import { WireType } from '@bufbuild/protobuf/wire';
import { tagOf } from './wire-fields.js';

/** A field of a message as text, one character for each byte, like its content. */
export function fieldText(number: number, content: string): string {
  return varintText(tagOf(number, WireType.LengthDelimited)) + varintText(content.length) + content;
}

/** Bytes, which are left out when there are none. */
export function bytesField(number: number, content: string): string {
  return content === '' ? '' : fieldText(number, content);
}

/** A text, which is left out when it is empty. */
export function stringField(number: number, text: string): string {
  return bytesField(number, NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text);
}

/** A number of at most 32 bits, which is left out when it is zero. */
export function varintField(number: number, value: number): string {
  return value === 0 ? '' : varintText(tagOf(number, WireType.Varint)) + varintText(value);
}

function varintText(value: number): string {
  return value < 0x80
    ? String.fromCharCode(value)
    : String.fromCharCode((value & 0x7f) | 0x80) + varintText(value >>> 7);
}

const NOT_ASCII = /[^\0-\x7f]/;
