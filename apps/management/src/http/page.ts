import { Type } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';

const INTEGER = { message: 'Input should be an integer from 0 to 2147483647' };

/** The window of a list; without a limit, or with 0, everything behind the offset. */
export class Page {
  @Max(2 ** 31 - 1, INTEGER)
  @Min(0, INTEGER)
  @IsInt(INTEGER)
  @Type(() => Number)
  @IsOptional()
  offset?: number;

  @Max(2 ** 31 - 1, INTEGER)
  @Min(0, INTEGER)
  @IsInt(INTEGER)
  @Type(() => Number)
  @IsOptional()
  limit?: number;
}

/** The same for TypeORM's find. */
export const windowOf = ({ offset, limit }: Page): { skip: number; take?: number } => ({
  skip: offset ?? 0,
  ...(limit ? { take: limit } : {}),
});
