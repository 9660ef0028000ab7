import { type BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** Tag of a field, as the wire has it. */
export const fieldTag = (field: number, type: WireType): number => (field << 3) | type;

/** Enters a field of text, bytes or a message: where it ends. @throws when that is outside of `limit` */
export function readFieldEnd(reader: BinaryReader, limit: number): number {
  const end = reader.uint32() + reader.pos;
  if (end > limit) throw new RangeError('premature EOF');
  return end;
}

/** Passes over a field whose tag is read. @throws when it is none, or does not end before `limit` */
export function skipField(reader: BinaryReader, tag: number, limit: number): void {
  if (tag >>> 3 === 0) throw new Error('illegal tag: field no 0');
  // The reader itself would make a view of what it passes over.
  if ((tag & 7) === WireType.LengthDelimited) reader.pos = readFieldEnd(reader, limit);
  else reader.skip(tag & 7, tag >>> 3);
  if (reader.pos > limit) throw new RangeError('premature EOF');
}
