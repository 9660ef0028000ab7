import { WireType } from '@bufbuild/protobuf/wire';

/** Iterates over the fields of a valid message that is stored as text with one character for each byte. */
export class TextFields {
  /** Field number and wire type of the current field. */
  tag = 0;
  /** Range of the current field's content. */
  from = 0;
  to = 0;

  constructor(
    private readonly text: string,
    private position = 0,
    private readonly end = text.length,
  ) {}

  nextField(): boolean {
    if (this.position >= this.end) return false;
    this.tag = this.readVarint();
    this.skipContent(this.tag & 7);
    return true;
  }

  /** The content of the current field, decoded from UTF-8. */
  readString(): string {
    const bytes = this.text.substring(this.from, this.to);
    return NOT_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes;
  }

  private skipContent(type: number): void {
    const length = type === WireType.LengthDelimited ? this.readVarint() : 0;
    this.from = this.position;
    if (type === WireType.LengthDelimited) this.position += length;
    else if (type === WireType.Bit64) this.position += 8;
    else if (type === WireType.Bit32) this.position += 4;
    else if (type === WireType.Varint) while (this.text.charCodeAt(this.position++) >= 0x80);
    else this.skipGroup();
    this.to = this.position;
  }

  private skipGroup(): void {
    for (let type = this.readVarint() & 7; type !== WireType.EndGroup; type = this.readVarint() & 7)
      this.skipContent(type);
  }

  /** Reads the lower 32 bits, which is enough for tags and lengths. */
  private readVarint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.text.charCodeAt(this.position++);
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }
}

const NOT_ASCII = /[\u0080-\u00ff]/;
