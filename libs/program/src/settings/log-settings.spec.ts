import { describe, expect, it } from '@jest/globals';
import type { LogFormat, LogLevel } from '../log/log-level.js';
import { LogFormatSetting, LogLevelSetting } from './log-settings.js';
import { readSettings } from './settings.js';

describe('the settings of the log', () => {
  class LogEnv {
    @LogLevelSetting()
    readonly logLevel: LogLevel;

    @LogFormatSetting()
    readonly logFormat: LogFormat;
  }

  it('are the level info and no format by default, and others are refused', () => {
    expect(readSettings(LogEnv, {})).toEqual({ logLevel: 'info', logFormat: undefined });
    expect(() => readSettings(LogEnv, { RAMPART_LOG_LEVEL: 'loud', RAMPART_LOG_FORMAT: 'xml' })).toThrow(
      'RAMPART_LOG_LEVEL must be error, warn, info or debug\n  RAMPART_LOG_FORMAT must be text or json',
    );
  });
});
