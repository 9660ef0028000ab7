import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What a search looks at. Triggers on users write it. */
@Entity('user_searches')
// Only the name stands here: see the migrations for what TypeORM cannot say.
@Index('user_searches_words', { synchronize: false })
export class UserSearch {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'user_searches_pkey' })
  userId: number;

  /** Name and note in lower case, one below the other. */
  @Column({ type: 'text' })
  words: string;
}
