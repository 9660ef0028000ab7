import { Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from './user.entity.js';

/** What a search looks at. A trigger on users writes it. */
@Entity('user_searches')
// Of it only the name stands here: see the migration for what TypeORM cannot say.
@Index('user_searches_words', { synchronize: false })
export class UserSearch {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_searches_pkey' })
  userId: number;

  @OneToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_searches_user_id_fkey' })
  user: Relation<User>;

  /** Name and note in lower case, one below the other. */
  @Column({ type: 'text' })
  words: string;
}
