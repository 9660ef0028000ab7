import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/**
 * By what engines tell a user's credentials apart (`credentialKeys` of libs/domain): no two users have the same key. Null: no
 * engine takes the credential, or an older holder has it.
 */
@Entity('user_credential_keys')
@Unique('user_credential_keys_vless', ['vless'])
@Unique('user_credential_keys_vmess', ['vmess'])
@Unique('user_credential_keys_trojan', ['trojan'])
@Unique('user_credential_keys_shadowsocks', ['shadowsocks'])
@Index('user_credential_keys_shadowsocks_short', ['shadowsocksShort'], {
  unique: true,
  where: 'shadowsocks_short IS NOT NULL',
})
@Index('user_credential_keys_shadowsocks_long', ['shadowsocksLong'], {
  unique: true,
  where: 'shadowsocks_long IS NOT NULL',
})
export class UserCredentialKeys {
  /** A trigger deletes the row with the user. */
  @PrimaryColumn({ type: 'integer' })
  userId: number;

  @Column({ type: 'uuid', nullable: true })
  vless: string | null;

  @Column({ type: 'uuid', nullable: true })
  vmess: string | null;

  @Column({ type: 'uuid', nullable: true })
  trojan: string | null;

  @Column({ type: 'uuid', nullable: true })
  shadowsocks: string | null;

  @Column({ type: 'uuid', nullable: true })
  shadowsocksShort: string | null;

  @Column({ type: 'uuid', nullable: true })
  shadowsocksLong: string | null;
}
