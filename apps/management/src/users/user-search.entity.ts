import { Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from './user.entity.js';

/** What a search looks at. Triggers on users write it. */
@Entity('user_searches')
// Of these only the names stand here: see the migrations for what TypeORM cannot say.
@Index('user_searches_words', { synchronize: false })
@Index('user_searches_credentials', { synchronize: false })
export class UserSearch {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_searches_pkey' })
  userId: number;

  @OneToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_searches_user_id_fkey' })
  user: Relation<User>;

  /** Name and note in lower case, one below the other. */
  @Column({ type: 'text' })
  words: string;

  /** UUIDs and passwords. */
  @Column({ type: 'text', array: true, default: [] })
  credentials: string[];
}
