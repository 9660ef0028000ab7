import { IsBoolean, IsInt, IsString, Max, Min, ValidateBy, type ValidationArguments } from 'class-validator';
import { BOOLEAN, STRING } from '../validation/messages.js';
import { MaxCharacters } from '../validation/rules.js';
import { IsWebUrl } from '../validation/web-url.js';

const MINUTES = { message: 'Input should be an integer from 0 to 10080' };
const VIEWPOINTS = { message: 'Input should be an integer from 1 to 10' };
const ROUNDS = { message: 'Input should be an integer from 1 to 100' };

const NeedsRounds = (): PropertyDecorator =>
  ValidateBy(
    { name: 'needsRounds', validator: { validate: isWithRounds } },
    { message: 'hide_failing needs every_minutes: a host returns only when it is probed again' },
  );

const isWithRounds = (value: unknown, args?: ValidationArguments): boolean =>
  value !== true || Number(Reflect.get(args?.object ?? {}, 'every_minutes')) > 0;

/** How hosts are probed by clients. Absent members have their defaults. */
export class ProbeSettings {
  /** Minutes between two rounds in which every host is probed. 0: never. */
  @Max(10_080, MINUTES)
  @Min(0, MINUTES)
  @IsInt(MINUTES)
  every_minutes = 0;

  /** Whether a host is probed when what clients get of it has changed. */
  @IsBoolean(BOOLEAN)
  after_change = true;

  /** The number of nodes that probe a host in a round, by turns. */
  @Max(10, VIEWPOINTS)
  @Min(1, VIEWPOINTS)
  @IsInt(VIEWPOINTS)
  viewpoints = 2;

  /**
   * The URL that is fetched through a host, best with an answer of 1 MB. Empty: one of this management, below its public
   * URL, which nodes must then reach.
   */
  @IsWebUrl()
  @MaxCharacters(1024)
  @IsString(STRING)
  url = '';

  /**
   * Whether subscriptions leave out a host while it fails, as two nodes have seen, or management itself. It returns with the
   * first probe that passes.
   */
  @NeedsRounds()
  @IsBoolean(BOOLEAN)
  hide_failing = false;

  /** After how many rounds without a probe that passes a host is left out. */
  @Max(100, ROUNDS)
  @Min(1, ROUNDS)
  @IsInt(ROUNDS)
  hide_after = 2;
}

/** Whether subscriptions leave out hosts that fail. Without rounds no host would return. */
export const hidesFailing = ({ hide_failing, every_minutes }: ProbeSettings): boolean =>
  hide_failing && every_minutes > 0;
