import { type BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** The tag of a field: its number and wire type. */
export const fieldTag = (field: number, type: WireType): number => (field << 3) | type;

/** Reads the length of a length-delimited field and returns its end. @throws RangeError when that is beyond `limit` */
export function readFieldEnd(reader: BinaryReader, limit: number): number {
  const end = reader.uint32() + reader.pos;
  if (end > limit) throw new RangeError('premature EOF');
  return end;
}

/**
 * Skips a field whose tag has been read. @throws Error when the tag is invalid or the field does not end before `limit`
 */
export function skipField(reader: BinaryReader, tag: number, limit: number): void {
  if (tag >>> 3 === 0) throw new Error('illegal tag: field no 0');
  // BinaryReader.skip would create a view of the content.
  if ((tag & 7) === WireType.LengthDelimited) reader.pos = readFieldEnd(reader, limit);
  else reader.skip(tag & 7, tag >>> 3);
  if (reader.pos > limit) throw new RangeError('premature EOF');
}
