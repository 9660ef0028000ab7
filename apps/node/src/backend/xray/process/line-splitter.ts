import { StringDecoder } from 'node:string_decoder';

/** Splits a stream of bytes into lines. A very long line is cut, so that memory is bounded. */
export class LineSplitter {
  private readonly decoder = new StringDecoder('utf8');
  private rest = '';

  constructor(
    private readonly onLine: (line: string) => void,
    private readonly maxLength = 64 * 1024,
  ) {}

  pushBytes(chunk: Buffer): void {
    const lines = (this.rest + this.decoder.write(chunk)).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.emit(line);
    if (this.rest.length > this.maxLength) {
      this.emit(this.rest);
      this.rest = '';
    }
  }

  flush(): void {
    this.emit(this.rest + this.decoder.end());
    this.rest = '';
  }

  private emit(line: string): void {
    const text = line.trimEnd();
    if (text !== '') this.onLine(text);
  }
}
