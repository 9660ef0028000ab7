import { EventEmitter } from 'node:events';

type Reader = (line: string) => void;

/**
 * The output of one engine of a {@link ReferenceNode}. Its readers share one queue, so a line reaches only one of them.
 * `reader` is emitted when another one reads.
 */
export class ReferenceLog extends EventEmitter<{ reader: [] }> {
  private readonly queue: string[] = [];
  private readonly readers: Reader[] = [];

  constructor(private readonly maxLines: number) {
    super();
  }

  /** The engine prints a line, which is dropped when the queue is full. */
  print(line: string): void {
    const next = this.readers.shift();
    if (next) {
      this.readers.push(next);
      next(line);
    } else if (this.queue.length < this.maxLines) {
      this.queue.push(line);
    }
  }

  /** Returns the function that ends the reading. */
  read(reader: Reader): () => void {
    for (const line of this.queue.splice(0)) reader(line);
    this.readers.push(reader);
    this.emit('reader');
    return () => {
      this.readers.splice(this.readers.indexOf(reader), 1);
    };
  }
}
