import { type EngineClient, startEngineClientWith } from '@rampart/testing';

/** Many users' connections through one client engine: whoever fetches `http://<name>.test/` goes out as that one. */
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

/** The page that a user fetches, wherever the server's way out leads it. */
export function pageOf(name: string): string {
  return `http://${name}.test/`;
}
