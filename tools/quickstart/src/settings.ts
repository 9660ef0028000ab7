/** The settings of the quick start; `settings.mjs` reads them from the environment. */
export interface Settings {
  /** Absolute path of the folder with the database, certificates and keys. */
  readonly dataDir: string;
  /** Address that the management API listens on. */
  readonly host: string;
  readonly port: number;
  readonly nodePort: number;
  readonly vlessPort: number;
  readonly shadowsocksPort: number;
  readonly publicAddress?: string;
  /** Prefix of subscription URLs, without a trailing slash. */
  readonly publicUrl?: string;
  /** host:port of the site whose handshake REALITY borrows. */
  readonly realityTarget?: string;
}
