import { ApiError } from './api-error';
import { OWN_HEADER } from './own-header';
import { sessionState } from './session-state';

export interface ServerEvent {
  /** The number with which a stream goes on; undefined where the event has none. */
  id: string | undefined;
  name: string;
  data: string;
}

interface Options {
  signal: AbortSignal;
  onEvent: (event: ServerEvent) => void;
  /** Called for everything that comes, comments too. */
  onAlive?: () => void;
  /** The id of the last event that was heard. */
  lastId?: string | undefined;
}

/**
 * Reads Server-Sent Events by `fetch`, which sends the login and can be stopped. It returns when the server has ended the stream or
 * `signal` has stopped it.
 * @throws ApiError
 */
export async function readEvents(url: string, { signal, onEvent, onAlive, lastId }: Options): Promise<void> {
  try {
    const headers = {
      accept: 'text/event-stream',
      ...OWN_HEADER,
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    };
    const response = await fetch(url, { signal, headers });
    if (response.status === 401) sessionState.set('ended');
    if (!response.ok || !response.body) throw await ApiError.of(response);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onAlive?.();
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event) onEvent(event);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw ApiError.ofFetch(error);
  }
}

/** Reads one event; a block without data, such as a comment, is none. */
export function parseEvent(block: string): ServerEvent | undefined {
  const lines = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
  const values = (name: string) => lines.flatMap((line) => (line?.[1] === name ? [line[2] ?? ''] : []));
  const data = values('data');
  if (data.length === 0) return undefined;
  return { id: values('id').at(-1), name: values('event').at(-1) ?? 'message', data: data.join('\n') };
}
