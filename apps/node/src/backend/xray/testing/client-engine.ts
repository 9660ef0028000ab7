import { type EngineClient, startEngineClientWith } from '@rampart/testing';

/**
 * One client engine with the connections of many users: a request for `http://<name>.test/` uses that user's outbound.
 */
export async function startClientEngine(
  outbounds: ReadonlyMap<string, Record<string, unknown>>,
): Promise<EngineClient> {
  const named = [...outbounds].map(([tag, outbound]) => ({ ...outbound, tag }));
  return startEngineClientWith({
    outbounds: [{ protocol: 'blackhole', tag: 'nobody' }, ...named],
    routing: {
      domainStrategy: 'AsIs',
      rules: named.map(({ tag }) => ({ type: 'field', domain: [`full:${tag}.test`], outboundTag: tag })),
    },
  });
}

/** The page that a user requests; the server redirects it to its target. */
export function pageOf(name: string): string {
  return `http://${name}.test/`;
}
