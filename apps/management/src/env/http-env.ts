import {
  AreNetworks,
  IsBetween,
  type ListenSettings,
  NeedsSetting,
  parseBoolean,
  parseInteger,
  parseList,
  Setting,
} from '@rampart/program';
import { IsBoolean, IsOptional, IsUrl, Matches } from 'class-validator';
import { webUrl } from '../validation/web-url.js';
import { CommandEnv } from './command-env.js';

const WEB_URL = {
  protocols: ['http', 'https'],
  require_protocol: true,
  require_tld: false,
  allow_query_components: false,
  allow_fragments: false,
};

/** Settings of the HTTP server. */
export class HttpEnv extends CommandEnv {
  @Setting({
    name: 'RAMPART_HOST',
    help: 'address to listen on; with RAMPART_TLS_CERT the default is 0.0.0.0',
    fallback: '127.0.0.1',
    derive: ({ RAMPART_TLS_CERT: cert }) => (cert ? '0.0.0.0' : undefined),
  })
  @Matches(/^[\w.:-]+$/, { message: 'must be an IP address or a host name' })
  readonly host: string;

  @Setting({ name: 'RAMPART_PORT', help: 'port to listen on', fallback: '8000', parse: parseInteger })
  @IsBetween(0, 65_535)
  readonly port: number;

  @Setting({
    name: 'RAMPART_TLS_CERT',
    help: 'certificate file in PEM form for HTTPS; without it the service speaks plain HTTP',
  })
  @NeedsSetting('tlsKey', 'RAMPART_TLS_KEY')
  readonly tlsCert: string | undefined;

  @Setting({
    name: 'RAMPART_TLS_KEY',
    help: 'private key file in PEM form; key and certificate are read again when they change',
  })
  @NeedsSetting('tlsCert', 'RAMPART_TLS_CERT')
  readonly tlsKey: string | undefined;

  @Setting({
    name: 'RAMPART_PUBLIC_URL',
    help: 'base of subscription URLs; the default is made of the protocol, an address of this machine and the port',
    parse: webUrl,
  })
  @IsOptional()
  @IsUrl(WEB_URL, { message: 'must be an http or https URL without query, such as https://panel.example.com' })
  readonly publicUrl: string | undefined;

  @Setting({
    name: 'RAMPART_HSTS_SECONDS',
    help: 'seconds for which browsers use only HTTPS for the host of an https public URL (HSTS); 0 makes them forget it',
    fallback: '31536000',
    parse: parseInteger,
  })
  @IsBetween(0, 63_072_000)
  readonly hstsSeconds: number;

  @Setting({
    name: 'RAMPART_TRUSTED_PROXIES',
    help: 'addresses and networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted, separated by commas',
    parse: parseList,
  })
  @IsOptional()
  @AreNetworks()
  readonly trustedProxies: string[] | undefined;

  @Setting({
    name: 'RAMPART_CORS_ORIGINS',
    help: 'web origins whose pages may call the API, such as https://panel.example, separated by commas; by default none',
    parse: (text) => parseList(text.toLowerCase()),
  })
  @IsOptional()
  @Matches(/^https?:\/\/[^/\s*]+$/, { each: true, message: 'must be origins such as https://panel.example' })
  readonly corsOrigins: string[] | undefined;

  @Setting({
    name: 'RAMPART_DOCS',
    help: 'true shows the API at /api/docs to everybody; by default only sudo admins can read /api/openapi.json',
    fallback: 'false',
    parse: parseBoolean,
  })
  @IsBoolean({ message: 'must be true or false' })
  readonly docs: boolean;

  @Setting({
    name: 'RAMPART_DASHBOARD',
    help: 'false turns off the dashboard at /dashboard/',
    fallback: 'true',
    parse: parseBoolean,
  })
  @IsBoolean({ message: 'must be true or false' })
  readonly dashboard: boolean;

  @Setting({
    name: 'RAMPART_BODY_LIMIT_MIB',
    help: 'maximum size in MiB of bodies that only sudo admins may send; for other admins it is 1 MiB, for a login 32 KiB',
    fallback: '16',
    parse: parseInteger,
  })
  @IsBetween(1, 256)
  readonly bodyLimitMib: number;

  @Setting({
    name: 'RAMPART_MAX_SOCKETS',
    help: 'maximum number of open connections; it is lowered where the limit of open files requires it',
    fallback: '16384',
    parse: parseInteger,
  })
  @IsBetween(16, 1_000_000)
  readonly maxSockets: number;

  @Setting({
    name: 'RAMPART_MAX_SOCKETS_PER_ADDRESS',
    help: 'maximum number of open connections from one address, or one /64 of IPv6; this machine and RAMPART_TRUSTED_PROXIES are exempt',
    fallback: '1024',
    parse: parseInteger,
  })
  @IsBetween(1, 1_000_000)
  readonly maxSocketsPerAddress: number;

  /** The protocol of the port. */
  get scheme(): 'http' | 'https' {
    return this.tlsCert === undefined ? 'http' : 'https';
  }

  /** The address to listen on, with the names of its settings. */
  get address(): ListenSettings {
    const { host, port } = this;
    return { host, port, hostSetting: 'RAMPART_HOST', portSetting: 'RAMPART_PORT' };
  }
}
