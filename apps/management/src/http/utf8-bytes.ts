/** Encodes a text as UTF-8. `Buffer.from` measures the text before it writes it, which doubles the time. */
export function utf8Bytes(text: string): Buffer {
  const room = Buffer.allocUnsafeSlow(3 * text.length);
  return room.subarray(0, room.write(text));
}
