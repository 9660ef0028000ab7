import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A service of a compose file, with the keys that the files of deploy/ use; `servicesOf` refuses all others. */
export interface Service {
  readonly image: string;
  readonly restart?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly sysctls?: Readonly<Record<string, number>>;
  readonly tmpfs?: readonly string[];
  readonly stop_grace_period?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
}

const KEYS = [
  'image',
  'restart',
  'read_only',
  'cap_drop',
  'cap_add',
  'security_opt',
  'sysctls',
  'tmpfs',
  'stop_grace_period',
  'environment',
  'volumes',
  'ports',
  'networks',
];

/** Returns the services of compose files, of which later ones are laid over earlier ones. Variables are not filled in yet. */
export function servicesOf(files: readonly string[]): Record<string, Service> {
  const services: Record<string, Service> = {};
  for (const file of files) {
    const document = parse(readFileSync(file, 'utf8')) as { services: Record<string, Service> };
    for (const [name, service] of Object.entries(document.services)) {
      const unknown = Object.keys(service).filter((key) => !KEYS.includes(key));
      if (unknown.length > 0) throw new Error(`${file}: the tests do not know ${unknown.join(', ')} of ${name}`);
      const before = services[name];
      services[name] = { ...before, ...service, environment: { ...before?.environment, ...service.environment } };
    }
  }
  return services;
}

/** Fills in `${NAME}`, `${NAME:-default}` and `${NAME:?message}` as docker compose does; an empty value counts as none. */
export function interpolated(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_all, name: string, kind: string | undefined, rest: string) => {
      const value = env[name];
      if (value) return value;
      if (kind === '?') throw new Error(`${name}: ${rest}`);
      return kind === '-' ? rest : '';
    },
  );
}

/** The arguments of `podman run` that mean the same as a service of a compose file. Volumes and networks get the prefix. */
export function runArguments(
  { image, ...service }: Service,
  env: Readonly<Record<string, string>>,
  prefix: string,
): { readonly options: string[]; readonly image: string } {
  const each = (option: string, values: readonly string[] = []) =>
    values.flatMap((value) => [option, interpolated(value, env)]);
  const pairs = (values: object = {}) => Object.entries(values).map(([name, value]) => `${name}=${value}`);
  return {
    image: interpolated(image, env),
    options: [
      ...each('--restart', service.restart === undefined ? [] : [service.restart]),
      // Podman adds writable folders to a read-only container, Docker does not.
      ...(service.read_only === true ? ['--read-only', '--read-only-tmpfs=false'] : []),
      ...each('--cap-drop', service.cap_drop),
      ...each('--cap-add', service.cap_add),
      ...each('--security-opt', service.security_opt),
      ...each('--sysctl', pairs(service.sysctls)),
      ...each('--tmpfs', service.tmpfs),
      ...each(
        '--stop-timeout',
        service.stop_grace_period === undefined ? [] : [`${seconds(service.stop_grace_period)}`],
      ),
      ...each('--env', pairs(service.environment)),
      ...each(
        '--volume',
        service.volumes?.map((volume) => `${prefix}-${volume}`),
      ),
      ...each('--publish', service.ports),
      ...each(
        '--network',
        service.networks?.map((network) => `${prefix}-${network}`),
      ),
    ],
  };
}

function seconds(text: string): number {
  const [, number] = /^(\d+)s$/.exec(text) ?? [];
  if (number === undefined) throw new Error(`"${text}" is not a number of seconds such as 10s`);
  return Number(number);
}
