/** Something in a configuration that is accepted, but will not work as the operator may expect. */
export interface CoreConfigWarning {
  /** The place in the configuration, such as `inbounds[0].streamSettings`. */
  readonly path: string;
  /** The kind of the warning, for programs. */
  readonly code:
    | 'transport_removed'
    | 'certificate_missing'
    | 'reality_target_missing'
    | 'reality_client_version'
    | 'reality_key_share'
    | 'reality_mldsa65'
    | 'fingerprint_unusable'
    | 'alpn_unusable'
    | 'flow_unusable'
    | 'fallbacks_unusable'
    | 'xmux_conflict'
    | 'allow_insecure'
    | 'protocol_unknown'
    | 'port_twice'
    | 'target_unknown'
    | 'geo_list'
    | 'machine_access'
    | 'address_of_proxy'
    | 'address_forgeable'
    | 'private_proxy'
    | 'portal_open'
    | 'foreign_socket'
    | 'sniffing_fault'
    | 'dns_fault'
    | 'kcp_strangers'
    | 'shadowsocks_trial';
  /** The warning in a sentence. */
  readonly message: string;
}
