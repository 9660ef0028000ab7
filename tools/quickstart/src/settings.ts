/** The settings of the quick start, as `settings.mjs` reads them from the environment. */
export interface Settings {
  /** Absolute path of the folder that holds everything. */
  readonly dataDir: string;
  /** Where the management API listens. */
  readonly host: string;
  readonly port: number;
  readonly nodePort: number;
  readonly vlessPort: number;
  readonly shadowsocksPort: number;
  readonly publicAddress?: string;
  /** Prefix of subscription URLs, without a slash at its end. */
  readonly publicUrl?: string;
  /** host:port of the site that REALITY borrows. */
  readonly realityTarget?: string;
}
