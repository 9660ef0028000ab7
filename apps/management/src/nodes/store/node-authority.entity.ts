import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** An authority of this management. It issues the certificates of enrolled nodes, and the one that management shows them. */
@Entity('node_authorities')
export class NodeAuthority {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id: number;

  /** The certificate of the authority, in PEM. */
  @Column({ type: 'text' })
  certificate: string;

  /** The private key in PEM (PKCS #8), sealed by AtRestCipher. */
  @Column({ type: 'bytea' })
  keyEncrypted: Buffer;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
