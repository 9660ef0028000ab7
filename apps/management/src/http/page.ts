import { MAX_INT32 } from '@rampart/domain';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { IntegerText } from '../validation/query-values.js';

const INTEGER = { message: 'Input should be an integer from 0 to 2147483647' };

/** The window of a list. */
export class Page {
  /** How many entries are left out at the beginning. Absent: none. */
  @Max(MAX_INT32, INTEGER)
  @Min(0, INTEGER)
  @IsInt(INTEGER)
  @IntegerText()
  @IsOptional()
  offset?: number;

  /** The largest number of entries. Absent or 0: all behind the offset. */
  @Max(MAX_INT32, INTEGER)
  @Min(0, INTEGER)
  @IsInt(INTEGER)
  @IntegerText()
  @IsOptional()
  limit?: number;
}

/** The same for TypeORM's find. */
export const windowOf = ({ offset, limit }: Page): { skip: number; take?: number } => ({
  skip: offset ?? 0,
  ...(limit ? { take: limit } : {}),
});
