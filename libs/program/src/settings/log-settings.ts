import { IsIn, IsOptional } from 'class-validator';
import { LOG_FORMATS, LOG_LEVELS } from '../log/log-level.js';
import { allOf } from './all-of.js';
import { Setting } from './settings.js';

/** Property decorator: the setting of the level of the log, a `LogLevel`. */
export const LogLevelSetting = (): PropertyDecorator =>
  allOf(
    Setting({
      name: 'RAMPART_LOG_LEVEL',
      help: 'least important lines to log: error, warn, info or debug, which adds a line for each request',
      fallback: 'info',
    }),
    IsIn(LOG_LEVELS, { message: 'must be error, warn, info or debug' }),
  );

/** Property decorator: the setting of the form of the log, a `LogFormat`. */
export const LogFormatSetting = (): PropertyDecorator =>
  allOf(
    Setting({ name: 'RAMPART_LOG_FORMAT', help: 'text or json; by default text on a terminal and json elsewhere' }),
    IsOptional(),
    IsIn(LOG_FORMATS, { message: 'must be text or json' }),
  );
